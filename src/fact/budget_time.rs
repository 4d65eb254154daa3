//! `budget.time`

use super::{Domain, Fact, Moment};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "budget.time",
    summary: "Time since this run began. Unknown when nobody tells the time.",
    ty: Type::Number(Unit::Duration),
    optional: true,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(budget.time ?? 0s) >= 10m"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    moment.run.spent.time.map(Value::Number)
}
