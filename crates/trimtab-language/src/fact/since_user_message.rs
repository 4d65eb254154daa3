//! `since_user_message`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "since_user_message",
    summary: "Iterations since the newest user message, over all runs of the session: 0 at the first model call after a message \
              of a person, also one that comes while the agent works. Messages of the harness and of rules do not count. Before \
              the first user message, the iterations of the session.",
    ty: Type::Number(Unit::Counted(Counted::Iterations)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::UserMessages,
    rises: Rises::EveryCall,
    falls: Falls::AnyTime,
    at_start: AtStart::Zero,
    source: Source::Own,
    // An iteration is counted after its reply.
    relations: &[Relation::AtMost(&super::session_calls::FACT)],
    examples: &["since_user_message == 0", "since_user_message >= 40 iterations"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.log.since_user_message(moment.session.iteration).into()))
}
