//! `since`

use super::{Domain, Fact, Moment, Parameter, ParameterKind, Unknown};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "since",
    summary: "Iterations since a rule last fired in this run. Unknown until it has fired.",
    ty: Type::Number(Unit::Counted(Counted::Iterations)),
    optional: true,
    unknown: Some(Unknown::Firing),
    parameters: &[Parameter { name: "rule", kind: ParameterKind::Rule, summary: "A rule of the same policy." }],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["(since(example) ?? 100) >= 5 iterations"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &[Value]) -> Option<Value> {
    let last = moment.rules.last(super::text(arguments, 0))?;
    Some(Value::Number(moment.run.iteration.saturating_sub(last).into()))
}
