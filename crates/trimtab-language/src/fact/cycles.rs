//! `cycles`

use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, Number, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

static PERIOD: TypedParameter<Number> =
    TypedParameter::number("period", Unit::Counted(Counted::Calls), 5, "The most calls of a pattern.");

static WITHIN: TypedParameter<Number> =
    TypedParameter::number("within", Unit::Counted(Counted::Calls), 20, "How many of the newest calls to examine.");

pub(super) static FACT: Fact = Fact {
    name: "cycles",
    summary: "How many times in a row, up to the newest call, the context has a pattern of calls (same tools and \
              arguments, in the same order) with the same results: 3 for A B A B A B, and 1 if nothing is repeated. \
              Only calls that have a result count, and results as they arrived, before any edit.",
    ty: Type::Number(Unit::Counted(Counted::Count)),
    unknown: None,
    parameters: &[&PERIOD.parameter, &WITHIN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::LimitedBy(&WITHIN.parameter),
    relations: &[],
    examples: &["cycles >= 3", "cycles(period: 3, within: 12 calls) >= 4"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let (period, within) = (arguments.get(&PERIOD)?, arguments.get(&WITHIN)?);
    Some(Value::whole(moment.tail.cycles(moment.conversation, period, within)))
}
