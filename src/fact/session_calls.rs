//! `session.calls`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "session.calls",
    summary: "Replies of the model in all runs of the session.",
    ty: Type::Number(Unit::Counted(Counted::Calls)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["session.calls >= 50 calls"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::Number(moment.session.calls.into()))
}
