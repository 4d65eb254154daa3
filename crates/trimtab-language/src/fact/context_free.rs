//! `context.free`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "context.free",
    summary: "Tokens left in the context window: the window minus the reserve minus `context.tokens`. Negative \
              when the context does not fit.",
    ty: Type::Number(Unit::Tokens),
    unknown: Some(Unknown::Window),
    parameters: &[],
    domain: Domain::Any,
    topic: Topic::ContextSize,
    rises: Rises::EveryMessage,
    falls: Falls::ContentEdits,
    at_start: AtStart::Any,
    source: Source::FreeBeside(&super::context_tokens::FACT),
    relations: &[],
    examples: &["context.free < 20k tokens"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    FACT.derive(moment.tokens.into(), moment.window, moment.reserve).map(Value::Number)
}
