//! `used_tool`

use super::argument::{Arguments, TOOL};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;
use crate::quantity::{Type, Value};

pub(super) static FACT: Fact = Fact {
    name: "used_tool",
    summary: "Whether this tool has been called in this run.",
    ty: Type::Bool,
    unknown: None,
    parameters: &[&TOOL.parameter],
    domain: Domain::Any,
    topic: Topic::UsedTools,
    rises: Rises::Sometimes,
    falls: Falls::Never,
    at_start: AtStart::Zero,
    source: Source::Own,
    relations: &[],
    examples: &["not used_tool(\"run_tests\")"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::Bool(moment.run.used.contains(arguments.get(&TOOL)?)))
}
