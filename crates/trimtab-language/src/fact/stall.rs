//! `stall`

use trimtab_base::quantity::{Counted, Decimal, Type, Unit, Value};

use super::argument::{Arguments, Number, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

static LAST: TypedParameter<Number> =
    TypedParameter::number("last", Unit::Counted(Counted::Results), 6, "How many of the newest results to compare.");

pub(super) static FACT: Fact = Fact {
    name: "stall",
    summary: "Share of the newest results that only repeat another one: of six results that are all alike, five sixths. \
              Results are alike if they are of the same tool, begin with the same 200 characters, and both or neither \
              are errors; arguments do not matter. Compares results as they arrived, before any edit. 0% while the \
              context has fewer results.",
    ty: Type::Number(Unit::Share),
    unknown: None,
    parameters: &[&LAST.parameter],
    domain: Domain::Repeated(&LAST.parameter),
    topic: Topic::Trouble,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["stall >= 80%", "stall(last: 10 results) >= 70%"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let last = arguments.get(&LAST)?;
    let repeated = moment.tail.repeated_results(moment.conversation, last).unwrap_or(0);
    let number = |count: usize| Decimal::from(u64::try_from(count).unwrap_or(u64::MAX));
    number(repeated).checked_div(number(last)).map(Value::Number)
}
