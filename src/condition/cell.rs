//! Cells: of every source one value for each side of each constant, so that no test tells two values of a cell apart.

use smol_str::SmolStr;

use crate::quantity::{Decimal, Value};

/// All numbers from one on, or all there are.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) least: Option<Decimal>,
    /// Whether there are only whole numbers on it.
    pub(super) whole: bool,
    /// Whether its numbers are large, so that one more says little to people.
    pub(super) large: bool,
}

impl Line {
    /// The points themselves, and one number from each stretch between them, the stretches first.
    pub(super) fn cells(self, points: &[Decimal]) -> Vec<Option<Value>> {
        let points = self.points(points);
        let mut cells = Vec::with_capacity(points.len() * 2 + 2);
        if self.least.is_none() {
            cells.extend(points.first().and_then(|first| first.checked_sub(Decimal::ONE)));
        }
        cells.extend(points.windows(2).filter_map(|pair| self.between(pair[0], pair[1])));
        cells.extend(points.last().and_then(|last| self.beyond(*last)));
        cells.extend(points);
        cells.into_iter().map(|number| Some(Value::Number(number))).collect()
    }

    /// The points on the line in order, its end among them.
    fn points(self, points: &[Decimal]) -> Vec<Decimal> {
        let on = |point: &Decimal| self.least.is_none_or(|least| *point >= least);
        let mut all: Vec<Decimal> = Vec::with_capacity(points.len() + 2);
        for point in points {
            if self.whole && !point.is_integer() {
                all.extend([point.floor(), point.ceil()]);
            } else {
                all.push(*point);
            }
        }
        all.extend(self.least);
        all.retain(on);
        all.sort_unstable();
        all.dedup();
        if all.is_empty() { vec![Decimal::ZERO] } else { all }
    }

    /// A number between two others; none when there is none.
    fn between(self, low: Decimal, high: Decimal) -> Option<Decimal> {
        let half = high.checked_sub(low)? / Decimal::TWO;
        let middle = if self.whole { low.checked_add(half.trunc())? } else { low.checked_add(half)? };
        (middle > low && middle < high).then_some(middle)
    }

    fn beyond(self, last: Decimal) -> Option<Decimal> {
        let step = if self.large { (last.abs() / Decimal::TEN).trunc().max(Decimal::ONE) } else { Decimal::ONE };
        last.checked_add(step)
    }
}

/// The texts that a text is held against, and last one that is none of them.
pub(super) fn texts(constants: &[&SmolStr]) -> Vec<Option<Value>> {
    let mut cells: Vec<Option<Value>> = Vec::with_capacity(constants.len() + 1);
    for constant in constants {
        let cell = Some(Value::Text((*constant).clone()));
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    cells.push(Some(Value::Text(other(constants))));
    cells
}

/// A text that is none of these.
fn other(constants: &[&SmolStr]) -> SmolStr {
    let mut other = String::from("something else");
    while constants.iter().any(|constant| **constant == other) {
        other.push('…');
    }
    other.into()
}

/// A text that holds these parts, and none of the other constants but those that stand in one of them: what stands
/// between them stands in no constant.
pub(super) fn joined(parts: &[&SmolStr], constants: &[&SmolStr]) -> SmolStr {
    let free = |mark: &char| !constants.iter().any(|constant| constant.contains(*mark));
    let mark = " |;/~_-".chars().chain('\u{2190}'..'\u{ffff}').find(free).unwrap_or(' ');
    let mut text = String::from(mark);
    for part in parts {
        text.push_str(part);
        text.push(mark);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(line: Line, points: &[i64]) -> Vec<String> {
        let points: Vec<Decimal> = points.iter().map(|point| Decimal::from(*point)).collect();
        let spoken = |cell: Option<Value>| cell.map(|value| value.format_bare(crate::quantity::Type::Name));
        line.cells(&points).into_iter().filter_map(spoken).collect()
    }

    #[test]
    fn between_neighbours_there_is_no_whole_number() {
        let line = Line { least: Some(Decimal::ZERO), whole: true, large: false };
        assert_eq!(numbers(line, &[3, 4, 10]), ["1", "7", "11", "0", "3", "4", "10"]);
        assert_eq!(numbers(Line { whole: false, ..line }, &[3, 4]), ["1.5", "3.5", "5", "0", "3", "4"]);
    }

    #[test]
    fn a_line_without_an_end_goes_on() {
        let line = Line { least: Some(Decimal::ZERO), whole: true, large: false };
        assert_eq!(numbers(line, &[1]), ["2", "0", "1"]);
        assert_eq!(numbers(line, &[]), ["1", "0"]);
        assert_eq!(numbers(Line { large: true, ..line }, &[1000]), ["500", "1100", "0", "1000"]);
    }

    #[test]
    fn joined_parts_bring_no_other_part_along() {
        let constants: Vec<SmolStr> = ["a b", "b|", "ab", ""].map(SmolStr::new_static).into();
        let text = joined(&[&constants[0], &constants[1]], &constants.iter().collect::<Vec<_>>());
        assert_eq!(text, ";a b;b|;");
        assert!(!text.contains("ab"));
    }
}
