//! `context.messages`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "context.messages",
    summary: "Messages in the context; a tool result is one message.",
    ty: Type::Number(Unit::Counted(Counted::Messages)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["context.messages > 100"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::whole(moment.conversation.entries().len()))
}
