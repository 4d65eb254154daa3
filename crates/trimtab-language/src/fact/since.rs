//! `since`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, IN, RULE};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "since",
    summary: "Iterations since a rule last fired in this run, or in the session, over all runs. Unknown until it has fired.",
    ty: Type::Number(Unit::Counted(Counted::Iterations)),
    unknown: Some(Unknown::Firing),
    parameters: &[&RULE.parameter, &IN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Firings,
    rises: Rises::EveryCall,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    // A firing notes the iteration, which never falls in a run, and both start again with a run.
    relations: &[Relation::AtMost(&super::iteration::FACT), Relation::SameOverSession(&FACT)],
    examples: &["(since(example) ?? 100) >= 5 iterations", "(since(example, in: session) ?? 100) >= 5 iterations"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let scope = arguments.get(&IN)?;
    let last = moment.rules.last(arguments.get(&RULE)?, scope)?;
    Some(Value::Number(moment.iteration(scope).saturating_sub(last).into()))
}
