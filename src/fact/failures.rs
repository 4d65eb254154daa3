//! `failures`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "failures",
    summary: "Error results in a row at the tail of the context. Assistant messages are skipped; a user message or a success ends it.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["failures >= 2"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::whole(moment.tail.newest(moment.conversation).failures))
}
