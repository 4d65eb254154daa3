//! `budget.time`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "budget.time",
    summary: "Time from the first to the newest timestamp of this run's messages, tool results too. Unknown without timestamps.",
    ty: Type::Number(Unit::Duration),
    optional: true,
    unknown: Some(Unknown::Time),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(budget.time ?? 0s) >= 10m"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    moment.run.spent.time.map(Value::Number)
}
