//! `call.name`

use trimtab_base::quantity::{Type, Value};

use super::argument::Arguments;
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic, Unknown};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "call.name",
    summary: "Tool of the newest call in the context; in the phase `compaction_miss`, of the call made again.",
    ty: Type::Text,
    unknown: Some(Unknown::Call),
    parameters: &[],
    domain: Domain::ToolNames,
    topic: Topic::NewestCall,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    // Both are read from the newest call, found the same way.
    relations: &[Relation::KnownWith(&super::call_arguments::FACT)],
    examples: &["(call.name ?? \"\") == \"bash\""],
    read,
};

fn read(moment: &Moment<'_>, _: &Arguments<'_>) -> Option<Value> {
    let (tool, _) = moment.call()?;
    Some(Value::Text(tool.clone()))
}
