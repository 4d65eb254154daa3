//! The tool that recalls offloaded content, declared in requests of an agent whose policy offloads.

use serde_json::value::RawValue;
use trimtab_base::conversation::{RECALL_DESCRIPTION, RECALL_SCHEMA, RECALL_TOOL};

use super::dialect::{Dialect, Form, TOOLS_KEY};
use super::json::{Node, Slot, Span, literal, replaced};
use super::text::RequestText;

impl Form {
    /// The list in an element of the list of tools that is a group of functions, and its key.
    pub(super) fn tool_group<'n>(&self, element: &Node<'n>) -> Option<(&'static str, Node<'n>)> {
        let list = |key: &&'static str| Some((*key, element.get(key).filter(Node::is_array)?));
        self.tool_group_keys.iter().find_map(list)
    }
}

impl Dialect {
    /// The declaration of the tool that recalls offloaded content, as JSON.
    pub fn recall_tool(self) -> String {
        let schema = RawValue::from_string(RECALL_SCHEMA.to_owned()).unwrap_or_default();
        (self.form().tool)(RECALL_TOOL, RECALL_DESCRIPTION, &schema).to_string()
    }

    /// A body with the tool at the end of its list of tools. A body that has a tool of this name, and a list without a
    /// body, stay as they are.
    pub(super) fn with_recall(self, body: RequestText) -> RequestText {
        let root = Node::of(&body);
        if !root.is_object() {
            return body;
        }
        let form = self.form();
        let tools = root.get(TOOLS_KEY).filter(Node::is_array);
        let declared = tools.as_ref().map(Node::elements).unwrap_or_default();
        let groups: Vec<_> = declared.iter().map(|element| form.tool_group(element)).collect();
        let functions = groups.iter().flatten().flat_map(|(_, group)| group.elements());
        let name = |tool: &Node<'_>| tool.get_string("name").or_else(|| tool.get("function")?.get_string("name"));
        if functions.chain(declared.iter().cloned()).any(|tool| name(&tool).as_deref() == Some(RECALL_TOOL)) {
            return body;
        }
        let mut slots: Vec<Slot> = (0..declared.len()).map(Slot::Keep).collect();
        match groups.iter().rposition(Option::is_some) {
            Some(last) => slots[last] = Slot::Changed(last, self.with_function(&declared[last])),
            None => slots.push(Slot::New(self.recall_element())),
        }
        let items: Vec<Span> = declared.iter().map(|tool| tool.span.clone()).collect();
        let list = tools
            .as_ref()
            .map_or_else(|| format!("[{}]", self.recall_element()), |tools| tools.with_items(&items, &slots));
        replaced(&body, &root.span, &root.with_fields(&[(TOOLS_KEY, Some(list))])).into()
    }

    /// The tool as an element of the list of tools.
    fn recall_element(self) -> String {
        match self.form().tool_group_keys.first() {
            Some(key) => format!("{{{}:[{}]}}", literal(key), self.recall_tool()),
            None => self.recall_tool(),
        }
    }

    /// A group of functions with the tool at its end.
    fn with_function(self, group: &Node<'_>) -> String {
        let Some((key, list)) = self.form().tool_group(group) else { return group.raw().to_owned() };
        let items: Vec<Span> = list.elements().into_iter().map(|function| function.span).collect();
        let mut slots: Vec<Slot> = (0..items.len()).map(Slot::Keep).collect();
        slots.push(Slot::New(self.recall_tool()));
        group.with_fields(&[(key, Some(list.with_items(&items, &slots)))])
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
            let with = dialect.with_recall(r#"{ "tools" : [ {"name": "a"} ], "x": 1.0 }"#.into());
            assert_eq!(with, format!(r#"{{ "tools" : [ {{"name": "a"}},{tool} ], "x": 1.0 }}"#));
            assert_eq!(dialect.with_recall(with.clone()), with);
            assert_eq!(dialect.with_recall(r#"{"x":1}"#.into()), format!(r#"{{"x":1,"tools":[{tool}]}}"#));
            assert_eq!(dialect.with_recall(r#"{"tools":null,"x":1}"#.into()), format!(r#"{{"tools":[{tool}],"x":1}}"#));
            assert_eq!(dialect.with_recall("{}".into()), format!(r#"{{"tools":[{tool}]}}"#));
            assert_eq!(dialect.with_recall("[]".into()), "[]");
        }
    }

    #[test]
    fn the_tool_is_added_to_a_group_of_functions() {
        let (dialect, tool) = (Dialect::Gemini, Dialect::Gemini.recall_tool());
        let body = r#"{"tools":[{"functionDeclarations":[{"name":"a"}]},{"googleSearch":{}}]}"#;
        let with = dialect.with_recall(body.into());
        assert_eq!(with, body.replace(r#"{"name":"a"}"#, &format!(r#"{{"name":"a"}},{tool}"#)));
        assert_eq!(dialect.with_recall(with.clone()), with);
        assert_eq!(dialect.with_recall("{}".into()), format!(r#"{{"tools":[{{"functionDeclarations":[{tool}]}}]}}"#));
    }
}
