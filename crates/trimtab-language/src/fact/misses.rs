//! `misses`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "misses",
    summary: "Compaction misses of this run: calls made again, with the same tool and arguments, after a rule had \
              reduced or removed their newest result.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Misses,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    // A miss is counted and kept in one step.
    relations: &[Relation::ZeroWhileUnknown(&super::missed_tool::FACT)],
    examples: &["misses >= 2"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.run.misses.into()))
}
