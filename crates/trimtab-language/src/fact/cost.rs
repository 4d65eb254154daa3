//! `cost`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;
use super::recent::Recent;
use super::within::TIME_WITHIN;

pub(super) static FACT: Fact = Fact {
    name: "cost",
    summary: "US dollars that all replies of the session have cost in a time before the newest message, summaries included. Unknown if \
              the price of one of them is. Without timestamps no reply is known to be within a time, so it is $0.",
    ty: Type::Number(Unit::Money),
    unknown: Some(Unknown::Price),
    parameters: &[&TIME_WITHIN.parameter],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[],
    examples: &["(cost(within: 1h) ?? $0) >= $20"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let Some(Recent::Time(seconds)) = arguments.get(&TIME_WITHIN)? else { return None };
    moment.log.cost(seconds, moment.session.spent.time).map(Value::Number)
}
