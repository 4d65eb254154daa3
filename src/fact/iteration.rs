//! `iteration`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "iteration",
    summary: "Model calls of this run before this one, from 0; the same in request and reply of a call.",
    ty: Type::Number(Unit::Counted(Counted::Iterations)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["iteration > 0"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::Number(moment.run.iteration.into()))
}
