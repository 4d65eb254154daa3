//! `context.tokens`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "context.tokens",
    summary: "Tokens that would be sent now: messages, system prompt and tool schemas, as earlier rules left them.",
    ty: Type::Number(Unit::Tokens),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::ContextSize,
    rises: Rises::EveryMessage,
    falls: Falls::ContentEdits,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["context.tokens >= 150k tokens", "context.tokens >= 80%"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.tokens.into()))
}
