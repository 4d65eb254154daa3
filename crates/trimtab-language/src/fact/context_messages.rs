//! `context.messages`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "context.messages",
    summary: "Messages in the conversation, also those that `retain` leaves out of the request. A tool result is one \
              message.",
    ty: Type::Number(Unit::Counted(Counted::Messages)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::ContextCount,
    rises: Rises::EveryMessage,
    falls: Falls::Removals,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["context.messages > 100"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.conversation.entries().len()))
}
