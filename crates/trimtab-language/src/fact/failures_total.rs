//! `failures.total`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN, OF};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "failures.total",
    summary: "Error results of this run, or of the session, whether or not they are still in the context.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    unknown: None,
    parameters: &[&OF.parameter, &IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[Relation::GrowsWithArguments(&FACT)],
    examples: &["failures.total >= 10", "failures.total(of: bash, in: session) >= 5"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let (tools, counts) = (arguments.get(&OF)?, moment.counts(arguments.get(&IN)?));
    if tools.key().is_empty() {
        return Some(Value::Number(counts.failures.into()));
    }
    let of_tools = counts.failures_of.iter().filter(|(tool, _)| tools.includes(Some(tool)));
    Some(Value::Number(of_tools.map(|(_, failures)| failures).sum::<u64>().into()))
}
