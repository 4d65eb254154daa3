//! `iteration`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "iteration",
    summary: "Model calls of this run before this one, from 0; the same in the request and the reply of a call.",
    ty: Type::Number(Unit::Counted(Counted::Iterations)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Iteration,
    rises: Rises::EveryCall,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    // Each iteration before this one had a reply.
    relations: &[Relation::AtMost(&super::session_calls::FACT)],
    examples: &["iteration > 0"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.run.iteration.into()))
}
