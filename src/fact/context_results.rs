//! `context.results`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "context.results",
    summary: "Tool results in the context.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["context.results > 40 results"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::whole(moment.conversation.results()))
}
