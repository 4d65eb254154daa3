//! `failures.total`

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;
use crate::quantity::{Counted, Type, Unit, Value};

pub(super) static FACT: Fact = Fact {
    name: "failures.total",
    summary: "Error results of this run, whether or not they are still in the context.",
    ty: Type::Number(Unit::Counted(Counted::Results)),
    unknown: None,
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[],
    examples: &["failures.total >= 10"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    Some(Value::Number(moment.run.failures.into()))
}
