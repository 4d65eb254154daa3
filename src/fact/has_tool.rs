//! `has_tool`

use super::{Domain, Fact, Moment, Parameter, ParameterKind};
use crate::quantity::{Type, Value};

pub(super) static FACT: Fact = Fact {
    name: "has_tool",
    summary: "Whether the agent declares this tool. The list that a recording or a live host declares counts; that of the \
              `agent` block is used only where they declare none.",
    ty: Type::Bool,
    optional: false,
    unknown: None,
    parameters: &[Parameter { name: "tool", kind: ParameterKind::Tool, summary: "The tool." }],
    domain: Domain::ANY,
    share_of: None,
    examples: &["has_tool(\"write_note\")"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &[Value]) -> Option<Value> {
    Some(Value::Bool(moment.tools.contains(super::text(arguments, 0))))
}
