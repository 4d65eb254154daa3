//! `context.largest`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "context.largest",
    summary: "Tokens of the largest single result, message or reply in the context. The system prompt does not count. Never \
              more than `context.tokens`.",
    ty: Type::Number(Unit::Tokens),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::ContextParts,
    rises: Rises::Sometimes,
    falls: Falls::ContentEdits,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[Relation::AtMost(&super::context_tokens::FACT)],
    examples: &["context.largest >= 10k tokens", "context.largest > 25%"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    // A provider may count less than the token counter.
    let largest = moment.tail.largest(moment.conversation).min(moment.tokens);
    Some(Value::Number(largest.into()))
}
