//! `result.error`

use trimtab_base::quantity::{Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "result.error",
    summary: "Whether the newest result in the context is an error. In the phase `compaction_miss`, whether the earlier \
              result of the call made again is one; unknown if it was removed.",
    ty: Type::Bool,
    unknown: Some(Unknown::Result),
    parameters: &[],
    domain: Domain::Any,
    topic: Topic::NewestResult,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["result.error ?? false"],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    let result = moment.result()?;
    Some(Value::Bool(result.is_error))
}
