//! `failures.steps`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "failures.steps",
    summary: "Turns in a row at the tail of the context all of whose results failed.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["failures.steps >= 3"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::whole(moment.tail.newest(moment.conversation).steps))
}
