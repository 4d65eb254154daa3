//! `context.tokens`

use super::{Domain, Fact, Moment};
use crate::quantity::{Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "context.tokens",
    summary: "What would be sent now: messages, system prompt and tool schemas, as earlier rules left them.",
    ty: Type::Number(Unit::Tokens),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["context.tokens >= 150k tokens", "context.tokens >= 80%"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::Number(moment.tokens.into()))
}
