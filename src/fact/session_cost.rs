//! `session.cost`

use super::{Domain, Fact, Moment};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "session.cost",
    summary: "Dollars spent in all runs of the session. Unknown when the model's prices are.",
    ty: Type::Number(Unit::Money),
    optional: true,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(session.cost ?? $0) >= $1.50"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    moment.session.cost.map(Value::Number)
}
