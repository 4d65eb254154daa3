//! `compactions`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "compactions",
    summary: "Compactions of the session: each time that the harness replaced the conversation, and each time that an effect of \
              a rule removed messages or replaced them with a summary.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Compactions,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Any,
    source: Source::Own,
    // A compaction is counted and its iteration noted in one step.
    relations: &[Relation::ZeroWhileUnknown(&super::since_compaction::FACT)],
    examples: &["compactions >= 3", "changed(compactions, in: session)"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.log.compactions().into()))
}
