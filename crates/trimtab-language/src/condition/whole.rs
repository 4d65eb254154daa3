//! Wholes: shares that add up to 100%.
//!
//! Constraints between two shares do not decide this, so a choice of cells is checked when all are chosen: each cell is a
//! range of shares, and the values within the ranges are moved until they add up.

use trimtab_base::quantity::{Decimal, Value};

use super::source::Source;
use crate::fact::{Fact, Relation};

/// The axes of the shares that make up a whole together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whole(pub(super) [usize; 3]);

/// A share: one value, or every value between two.
#[derive(Clone, Copy)]
struct Range {
    low: Decimal,
    high: Decimal,
}

/// The wholes all of whose parts are among the sources of the axes.
pub(super) fn all(sources: &[Source<'_>]) -> Vec<Whole> {
    let of = |fact: &'static Fact| {
        sources.iter().position(|source| source.fact().is_some_and(|other| std::ptr::eq(other, fact)))
    };
    let mut wholes = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        for relation in source.fact().map_or(&[][..], |fact| fact.relations) {
            if let Relation::Completes([first, second]) = relation
                && let (Some(first), Some(second)) = (of(first), of(second))
            {
                wholes.push(Whole([at, first, second]));
            }
        }
    }
    wholes
}

/// Returns values within the chosen cells that add up to 1, or 0 for all, or `None` if there are none. `cells` has all
/// cells of each share, which begin at 0 and end at 1.
pub(super) fn shares(cells: [&[Option<Value>]; 3], chosen: [usize; 3]) -> Option<[Decimal; 3]> {
    let mut ranges = [Range { low: Decimal::ZERO, high: Decimal::ZERO }; 3];
    for (at, range) in ranges.iter_mut().enumerate() {
        *range = range_of(cells[at], chosen[at])?;
    }
    if ranges.iter().all(|range| range.high.is_zero()) {
        return Some([Decimal::ZERO; 3]);
    }
    let low: Decimal = ranges.iter().map(|range| range.low).sum();
    let high: Decimal = ranges.iter().map(|range| range.high).sum();
    let is_open = |range: &Range| range.low < range.high;
    let Some(last) = ranges.iter().rposition(is_open) else {
        return (low == Decimal::ONE).then(|| ranges.map(|range| range.low));
    };
    if low >= Decimal::ONE || Decimal::ONE >= high {
        return None;
    }
    // The same part of each range; the last one takes what rounding leaves.
    let part = (Decimal::ONE - low).checked_div(high - low)?;
    let mut shares = ranges.map(|range| range.low + part * (range.high - range.low));
    let others: Decimal = (0..shares.len()).filter(|at| *at != last).map(|at| shares[at]).sum();
    shares[last] = Decimal::ONE - others;
    Some(shares)
}

/// The range of a cell: a point, or what lies between the points beside it.
fn range_of(cells: &[Option<Value>], chosen: usize) -> Option<Range> {
    let mut sorted: Vec<Decimal> = cells.iter().filter_map(|cell| number(cell.as_ref())).collect();
    sorted.sort_unstable();
    let value = number(cells.get(chosen)?.as_ref())?;
    let at = sorted.iter().position(|other| *other == value)?;
    // Points and the values between them take turns.
    let is_point = at.is_multiple_of(2);
    Some(if is_point {
        Range { low: value, high: value }
    } else {
        Range { low: sorted[at - 1], high: *sorted.get(at + 1)? }
    })
}

fn number(cell: Option<&Value>) -> Option<Decimal> {
    match cell {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(points: &[&str]) -> Vec<Option<Value>> {
        let points: Vec<Decimal> = points.iter().map(|point| point.parse().expect("a decimal")).collect();
        let middles = points.windows(2).map(|pair| (pair[0] + pair[1]) / Decimal::TWO);
        middles.chain(points.iter().copied()).map(|number| Some(Value::Number(number))).collect()
    }

    #[test]
    fn values_within_cells_add_up_to_the_whole_or_there_are_none() {
        let cells = cells(&["0", "0.2", "0.6", "1"]);
        let found =
            |chosen: [usize; 3]| shares([&cells, &cells, &cells], chosen).map(|found| found.iter().sum::<Decimal>());
        // Below 20% twice and above 60%.
        assert_eq!(found([0, 0, 2]), Some(Decimal::ONE));
        assert_eq!(found([0, 1, 1]), Some(Decimal::ONE));
        assert_eq!(found([0, 0, 0]), None);
        assert_eq!(found([2, 2, 0]), None);
        // 0%, 20% or 60%, and something.
        assert_eq!(found([3, 4, 2]), Some(Decimal::ONE));
        assert_eq!(found([4, 4, 5]), Some(Decimal::ONE));
        assert_eq!(found([3, 3, 5]), None);
        assert_eq!(found([3, 3, 3]), Some(Decimal::ZERO));
    }
}
