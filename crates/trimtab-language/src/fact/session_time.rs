//! `session.time`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "session.time",
    summary: "Time from the first to the newest timestamp of all runs of the session. Unknown without timestamps.",
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
    examples: &["(session.time ?? 0s) >= 10m"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.session.spent.time.map(Value::Number)
}
