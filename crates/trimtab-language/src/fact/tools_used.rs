//! `tools.used`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "tools.used",
    summary: "How many different tools have been called in this run, or in the session.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::UsedTools,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[Relation::GrowsWithArguments(&FACT)],
    examples: &["tools.used < 3", "tools.used(in: session) >= 10"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::whole(moment.counts(arguments.get(&IN)?).used.len()))
}
