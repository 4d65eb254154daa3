//! `failed`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN, RULE};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "failed",
    summary: "How many summaries of a rule in a row have failed in this run, or in the session, whatever its `on_failure` did then.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&RULE.parameter, &IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Firings,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[Relation::GrowsWithArguments(&FACT)],
    examples: &["failed(example) < 2", "failed(example, in: session) < 3"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.rules.failed(arguments.get(&RULE)?, arguments.get(&IN)?).into()))
}
