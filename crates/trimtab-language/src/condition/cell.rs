//! Cells: representative values of a source, so that every value gives the same test results as one of them.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Value};

/// A range of numbers.
#[derive(Clone, Copy)]
pub(super) struct NumberRange {
    /// The least number, or `None` if there is no lower limit.
    pub(super) least: Option<Decimal>,
    /// The largest number, or `None` if there is no upper limit.
    pub(super) largest: Option<Decimal>,
    /// Whether it contains only whole numbers.
    pub(super) is_whole: bool,
    /// Whether its numbers are large, so that a step of one means little to a reader.
    pub(super) is_large: bool,
}

impl NumberRange {
    /// One number from each interval between the points, then the points themselves.
    pub(super) fn cells(self, points: &[Decimal]) -> Vec<Option<Value>> {
        let points = self.points(points);
        let mut cells = Vec::with_capacity(points.len() * 2 + 2);
        if self.least.is_none() {
            cells.extend(points.first().and_then(|first| first.checked_sub(Decimal::ONE)));
        }
        cells.extend(points.windows(2).filter_map(|pair| self.between(pair[0], pair[1])));
        cells.extend(points.last().and_then(|last| self.above(*last)));
        cells.extend(points);
        cells.into_iter().map(|number| Some(Value::Number(number))).collect()
    }

    /// The cells of shares of a number of items, where each share is a whole number of items.
    pub(super) fn stepped_cells(self, points: &[Decimal], steps: Decimal) -> Vec<Option<Value>> {
        let items = |share: Decimal| share.checked_mul(steps).map(near_whole);
        let scaled = Self { least: self.least, largest: self.largest.and_then(items), is_whole: true, is_large: false };
        let points: Vec<Decimal> = points.iter().filter_map(|point| items(*point)).collect();
        let share = |items: Decimal| items.checked_div(steps).map(Value::Number);
        let cells = scaled.cells(&points).into_iter().flatten();
        cells.filter_map(|cell| if let Value::Number(items) = cell { Some(share(items)) } else { None }).collect()
    }

    /// The points in the range and its lower limit, in order.
    fn points(self, points: &[Decimal]) -> Vec<Decimal> {
        let on = |point: &Decimal| {
            self.least.is_none_or(|least| *point >= least) && self.largest.is_none_or(|largest| *point <= largest)
        };
        let mut all: Vec<Decimal> = Vec::with_capacity(points.len() + 2);
        for point in points {
            if self.is_whole && !point.is_integer() {
                all.extend([point.floor(), point.ceil()]);
            } else {
                all.push(*point);
            }
        }
        all.extend(self.least.into_iter().chain(self.largest));
        all.retain(on);
        all.sort_unstable();
        all.dedup();
        if all.is_empty() { vec![Decimal::ZERO] } else { all }
    }

    /// Returns a number between two others, or `None` if there is none.
    fn between(self, low: Decimal, high: Decimal) -> Option<Decimal> {
        let half = high.checked_sub(low)? / Decimal::TWO;
        let middle = if self.is_whole { low.checked_add(half.trunc())? } else { low.checked_add(half)? };
        (middle > low && middle < high).then_some(middle)
    }

    /// Returns a number above the last point, or `None` if there is none.
    fn above(self, last: Decimal) -> Option<Decimal> {
        let step = if self.is_large { (last.abs() / Decimal::TEN).trunc().max(Decimal::ONE) } else { Decimal::ONE };
        last.checked_add(step).filter(|above| self.largest.is_none_or(|largest| *above <= largest))
    }
}

/// The texts that a text is compared with, and last a text that is none of them.
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

/// A text that differs from all constants.
fn other(constants: &[&SmolStr]) -> SmolStr {
    let mut other = String::from("something else");
    while constants.iter().any(|constant| **constant == other) {
        other.push('…');
    }
    other.into()
}

/// A text that contains these parts, and no other constant except those inside a part: the separator occurs in no
/// constant.
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

/// A number of items, without what the division of a share has rounded away.
fn near_whole(items: Decimal) -> Decimal {
    const DIGITS: u32 = 20;
    items.round_dp(DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: NumberRange, points: &[i64]) -> Vec<String> {
        let points: Vec<Decimal> = points.iter().map(|point| Decimal::from(*point)).collect();
        let format = |cell: Option<Value>| cell.map(|value| value.format_bare(trimtab_base::quantity::Type::Name));
        range.cells(&points).into_iter().filter_map(format).collect()
    }

    #[test]
    fn there_is_no_whole_number_between_neighbours() {
        let range = NumberRange { least: Some(Decimal::ZERO), largest: None, is_whole: true, is_large: false };
        assert_eq!(numbers(range, &[3, 4, 10]), ["1", "7", "11", "0", "3", "4", "10"]);
        assert_eq!(numbers(NumberRange { is_whole: false, ..range }, &[3, 4]), ["1.5", "3.5", "5", "0", "3", "4"]);
    }

    #[test]
    fn numbers_are_sampled_on_each_side_of_a_boundary() {
        let range = NumberRange { least: Some(Decimal::ZERO), largest: None, is_whole: true, is_large: false };
        assert_eq!(numbers(range, &[1]), ["2", "0", "1"]);
        assert_eq!(numbers(range, &[]), ["1", "0"]);
        assert_eq!(numbers(NumberRange { is_large: true, ..range }, &[1000]), ["500", "1100", "0", "1000"]);
    }

    #[test]
    fn no_number_is_above_the_largest() {
        let range =
            NumberRange { least: Some(Decimal::ZERO), largest: Some(Decimal::ONE), is_whole: false, is_large: false };
        assert_eq!(numbers(range, &[]), ["0.5", "0", "1"]);
        assert_eq!(numbers(range, &[1, 2]), ["0.5", "0", "1"]);
    }

    #[test]
    fn joined_parts_contain_no_other_part() {
        let constants: Vec<SmolStr> = ["a b", "b|", "ab", ""].map(SmolStr::new_static).into();
        let text = joined(&[&constants[0], &constants[1]], &constants.iter().collect::<Vec<_>>());
        assert_eq!(text, ";a b;b|;");
        assert!(!text.contains("ab"));
    }
}
