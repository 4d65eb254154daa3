//! `agent.depth`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "agent.depth",
    summary: "How many agents are above the agent of the session: 0 for the main agent, and in live sessions whose host \
              declares none.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Agent,
    rises: Rises::Never,
    falls: Falls::Never,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["agent.depth >= 1"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.agent.depth.into()))
}
