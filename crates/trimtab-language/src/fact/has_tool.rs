//! `has_tool`

use trimtab_base::quantity::{Type, Value};

use super::argument::{Arguments, TOOL};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic};
use super::moment::Moment;

pub(super) static FACT: Fact = Fact {
    name: "has_tool",
    summary: "Whether this tool is declared and no view hides it. The list that a recording or a live host declares is used; \
              that of the `agent` block only where they declare none.",
    ty: Type::Bool,
    unknown: None,
    parameters: &[&TOOL.parameter],
    domain: Domain::Any,
    topic: Topic::DeclaredTools,
    rises: Rises::Never,
    falls: Falls::Never,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[],
    examples: &["has_tool(\"write_note\")"],
    read,
};

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    let tool: &str = arguments.get(&TOOL)?;
    Some(Value::Bool(moment.tools.contains(tool) && moment.views.offers_tool(tool)))
}
