//! `fired`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN, RULE};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "fired",
    summary: "How often a rule has fired in this run, or in the session.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&RULE.parameter, &IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Firings,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Any,
    source: Source::Own,
    // A firing is counted and its iteration noted in one step.
    relations: &[Relation::ZeroWhileUnknown(&super::since::FACT), Relation::GrowsWithArguments(&FACT)],
    examples: &["fired(example) >= 1", "fired(example, in: session) == 0"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.rules.fired(arguments.get(&RULE)?, arguments.get(&IN)?).into()))
}
