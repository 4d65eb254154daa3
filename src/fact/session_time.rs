//! `session.time`

use super::{Domain, Fact, Moment, Unknown};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "session.time",
    summary: "Time since all runs of the session began. Unknown when nobody tells the time.",
    ty: Type::Number(Unit::Duration),
    optional: true,
    unknown: Some(Unknown::Time),
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(session.time ?? 0s) >= 10m"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    moment.session.time.map(Value::Number)
}
