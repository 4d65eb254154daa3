//! `idle`

use trimtab_base::quantity::{Type, Unit, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "idle",
    summary: "Time between the last reply and this call, even if the reply belongs to an earlier run. Once the \
              prompt cache has expired, editing old content causes no further cache misses. Unknown before the \
              first reply and without timestamps.",
    ty: Type::Number(Unit::Duration),
    unknown: Some(Unknown::Pause),
    parameters: &[],
    domain: Domain::NonNegative,
    topic: Topic::Pause,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Unknown,
    source: Source::Own,
    relations: &[],
    examples: &["(idle ?? 0s) >= 5m"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.idle.map(Value::Number)
}
