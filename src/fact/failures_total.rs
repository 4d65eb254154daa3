//! `failures.total`

use super::{Domain, Fact, Moment};
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "failures.total",
    summary: "Error results of this run, wherever they stand.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    optional: false,
    unknown: None,
    parameters: &[],
    domain: Domain::COUNT,
    share_of: None,
    examples: &["failures.total >= 10"],
    read,
};

fn read(moment: &Moment<'_>, _: &[Value]) -> Option<Value> {
    Some(Value::Number(moment.run.failures.into()))
}
