//! Sums of costs of which some prices may be unknown.

use serde_json::Value as Json;
use trimtab_analysis::recording::CostSum;

use super::amount::{dollars, dollars_number};
use super::number::whole;

/// `$0.41`, or `$0.41 (2 of 3 priced)` if some prices are unknown; none if all are.
pub(super) fn known_cost(sum: CostSum) -> Option<String> {
    let cost = sum.known().map(dollars)?;
    Some(if sum.is_complete() {
        cost
    } else {
        format!("{cost} ({} of {} priced)", whole(sum.priced), whole(sum.number))
    })
}

/// The same in a table, where `-` is unknown.
pub(super) fn cost_cell(sum: CostSum) -> String {
    known_cost(sum).unwrap_or_else(|| "-".to_owned())
}

/// What those with a known price cost, as a JSON number; null if no price is known.
pub(super) fn cost_json(sum: CostSum) -> Json {
    sum.known().map_or(Json::Null, dollars_number)
}

#[cfg(test)]
mod tests {
    use trimtab_base::quantity::Decimal;

    use super::*;

    #[test]
    fn a_cost_says_how_much_of_it_is_priced() {
        let sum = |costs: &[Option<i64>]| {
            costs.iter().map(|cost| CostSum::of(cost.map(Decimal::from))).fold(CostSum::default(), CostSum::with)
        };
        let cells = [&[][..], &[Some(1), Some(2)], &[Some(1), None, Some(2)], &[None]].map(|all| cost_cell(sum(all)));
        assert_eq!(cells, ["$0.000", "$3.00", "$3.00 (2 of 3 priced)", "-"]);
        assert_eq!((cost_json(sum(&[None])), cost_json(sum(&[Some(1), None]))), (Json::Null, 1.0.into()));
    }
}
