//! `used_tool`

use super::{Domain, Fact, Moment, Parameter, ParameterKind};
use crate::quantity::{Type, Value};

pub(super) static FACT: Fact = Fact {
    name: "used_tool",
    summary: "Whether this tool has been called in this run.",
    ty: Type::Bool,
    optional: false,
    unknown: None,
    parameters: &[Parameter { name: "tool", kind: ParameterKind::Tool, summary: "The tool." }],
    domain: Domain::ANY,
    share_of: None,
    examples: &["not used_tool(\"run_tests\")"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &[Value]) -> Option<Value> {
    Some(Value::Bool(moment.run.used.contains(super::text(arguments, 0))))
}
