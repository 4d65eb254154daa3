//! `misses`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "misses",
    summary: "Compaction misses of this run, or of the session: calls made again, with the same tool and arguments, after a rule had \
              reduced or removed their newest result.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Misses,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    // A miss is counted and kept in one step.
    relations: &[Relation::ZeroWhileUnknown(&super::missed_tool::FACT), Relation::GrowsWithArguments(&FACT)],
    examples: &["misses >= 2", "misses(in: session) >= 5"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.counts(arguments.get(&IN)?).misses.into()))
}
