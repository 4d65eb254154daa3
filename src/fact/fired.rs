//! `fired`

use super::{Domain, Fact, Moment, Parameter, ParameterKind};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "fired",
    summary: "How often a rule has fired in this run.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    optional: false,
    unknown: None,
    parameters: &[Parameter { name: "rule", kind: ParameterKind::Rule, summary: "A rule of the same policy." }],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["fired(example) >= 1"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &[Value]) -> Option<Value> {
    Some(Value::Number(moment.rules.fired(super::text(arguments, 0)).into()))
}
