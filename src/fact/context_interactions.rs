//! `context.interactions`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "context.interactions",
    summary: "Interactions in the context, each opened by a person's message.",
    ty: Type::Number(Unit::Counted(Counted::Interactions)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["context.interactions > 5"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::whole(moment.conversation.interactions()))
}
