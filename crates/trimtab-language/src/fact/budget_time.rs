//! `budget.time`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "budget.time",
    summary: "Time from the first to the newest timestamp of this run's messages, tool results included. Unknown \
              without timestamps.",
    ty: Type::Number(Unit::Duration),
    unknown: Some(Unknown::Time),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Usage,
    rises: Rises::EveryCall,
    falls: Falls::Never,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["(budget.time ?? 0s) >= 10m"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.run.spent.time.map(Value::Number)
}
