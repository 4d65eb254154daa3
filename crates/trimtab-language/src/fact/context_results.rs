//! `context.results`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "context.results",
    summary: "Tool results in the conversation, also those that `retain` leaves out of the request.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::ContextCount,
    rises: Rises::Sometimes,
    falls: Falls::Removals,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["context.results > 40 results"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.conversation.results()))
}
