//! `missed.tool`

use trimtab_base::quantity::{Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "missed.tool",
    summary: "Tool of the newest compaction miss of this run. In the phase `compaction_miss`, the tool of that miss.",
    ty: Type::Text,
    unknown: Some(Unknown::Miss),
    parameters: &[],
    domain: Domain::ToolNames,
    topic: Topic::Misses,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Unknown,
    source: Source::Own,
    relations: &[],
    examples: &["(missed.tool ?? \"\") == \"read_file\""],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    moment.run.missed.as_ref().map(|miss| Value::Text(miss.tool.clone()))
}
