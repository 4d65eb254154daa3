//! `since_compaction`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "since_compaction",
    summary: "Iterations since the newest compaction, over all runs of the session. Unknown before the first one.",
    ty: Type::Number(Unit::Counted(Counted::Iterations)),
    unknown: Some(Unknown::Compaction),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Compactions,
    rises: Rises::EveryCall,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    // An iteration is counted after its reply.
    relations: &[Relation::AtMost(&super::session_calls::FACT)],
    examples: &["(since_compaction ?? 100) <= 3 iterations"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.log.since_compaction(moment.session.iteration).map(|iterations| Value::Number(iterations.into()))
}
