//! The tool that recalls offloaded content, declared in requests of an agent whose plan offloads.

use serde_json::json;
use serde_json::value::RawValue;
use trimtab_base::conversation::{RECALL_DESCRIPTION, RECALL_SCHEMA, RECALL_TOOL};

use super::dialect::Dialect;
use super::json::{Node, Slot, Span, replaced};

/// The key of the list of tools in a body.
pub(super) const TOOLS_KEY: &str = "tools";

impl Dialect {
    /// The declaration of the tool that recalls offloaded content, as JSON.
    pub fn recall_tool(self) -> String {
        let schema = RawValue::from_string(RECALL_SCHEMA.to_owned()).ok();
        let function = match self {
            Self::Anthropic => {
                json!({ "name": RECALL_TOOL, "description": RECALL_DESCRIPTION, "input_schema": schema })
            }
            Self::OpenAiChat => json!({
                "type": "function",
                "function": { "name": RECALL_TOOL, "description": RECALL_DESCRIPTION, "parameters": schema },
            }),
            Self::OpenAiResponses => json!({
                "type": "function", "name": RECALL_TOOL, "description": RECALL_DESCRIPTION, "parameters": schema,
            }),
        };
        function.to_string()
    }

    /// A body with the tool at the end of its list of tools. A body that has a tool of this name, and a list without a
    /// body, stay as they are.
    pub(super) fn with_recall(self, body: String) -> String {
        let root = Node::of(&body);
        if !root.is_object() {
            return body;
        }
        let tools = root.get(TOOLS_KEY).filter(Node::is_array);
        let declared = tools.as_ref().map(Node::elements).unwrap_or_default();
        let name = |tool: &Node<'_>| tool.get_string("name").or_else(|| tool.get("function")?.get_string("name"));
        if declared.iter().any(|tool| name(tool).as_deref() == Some(RECALL_TOOL)) {
            return body;
        }
        let mut slots: Vec<Slot> = (0..declared.len()).map(Slot::Keep).collect();
        slots.push(Slot::New(self.recall_tool()));
        let items: Vec<Span> = declared.into_iter().map(|tool| tool.span).collect();
        let list = tools.map_or_else(|| format!("[{}]", self.recall_tool()), |tools| tools.with_items(&items, &slots));
        replaced(&body, &root.span, &root.with_fields(&[(TOOLS_KEY, Some(list))]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_is_added_once_at_the_end_and_other_bytes_stay() {
        for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::Anthropic] {
            let tool = dialect.recall_tool();
            assert!(serde_json::from_str::<serde_json::Value>(&tool).is_ok_and(|tool| tool.is_object()), "{tool}");
            let with = dialect.with_recall(r#"{ "tools" : [ {"name": "a"} ], "x": 1.0 }"#.to_owned());
            assert_eq!(with, format!(r#"{{ "tools" : [ {{"name": "a"}},{tool} ], "x": 1.0 }}"#));
            assert_eq!(dialect.with_recall(with.clone()), with);
            assert_eq!(dialect.with_recall(r#"{"x":1}"#.to_owned()), format!(r#"{{"x":1,"tools":[{tool}]}}"#));
            assert_eq!(
                dialect.with_recall(r#"{"tools":null,"x":1}"#.to_owned()),
                format!(r#"{{"tools":[{tool}],"x":1}}"#)
            );
            assert_eq!(dialect.with_recall("{}".to_owned()), format!(r#"{{"tools":[{tool}]}}"#));
            assert_eq!(dialect.with_recall("[]".to_owned()), "[]");
        }
    }
}
