//! `agent.name`

use trimtab_base::quantity::{Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "agent.name",
    summary: "Name or id of the sub-agent that the session is of, as recorded or declared by the host. Unknown for the \
              main agent.",
    ty: Type::Text,
    unknown: Some(Unknown::Agent),
    parameters: &[],
    domain: Domain::Any,
    topic: Topic::Agent,
    rises: Rises::Never,
    falls: Falls::Never,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["(agent.name ?? \"\") == \"explore\""],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.agent.name.clone().map(Value::Text)
}
