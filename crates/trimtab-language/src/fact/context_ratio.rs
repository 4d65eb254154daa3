//! `context.ratio`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "context.ratio",
    summary: "Share of the context window that would be sent now. A comparison is made in tokens: the limit is the \
              window times the share, rounded down.",
    ty: Type::Number(Unit::Share),
    unknown: Some(Unknown::Window),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::ContextSize,
    rises: Rises::EveryMessage,
    falls: Falls::ContentEdits,
    at_start: AtStart::Any,
    source: Source::ShareOf(&super::context_tokens::FACT),
    relations: &[],
    examples: &["context.ratio >= 80%"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    FACT.derive(moment.tokens.into(), moment.window, moment.reserve).map(Value::Number)
}
