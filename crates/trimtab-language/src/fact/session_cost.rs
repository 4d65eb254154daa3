//! `session.cost`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "session.cost",
    summary: "US dollars spent in all runs of the session, summaries included. A reply without recorded usage is \
              priced by the token counter's estimate. Unknown when the model's prices are unknown.",
    ty: Type::Number(Unit::Money),
    unknown: Some(Unknown::Price),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::EveryCall,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[],
    examples: &["(session.cost ?? $0) >= $1.50"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.session.spent.cost.map(Value::Number)
}
