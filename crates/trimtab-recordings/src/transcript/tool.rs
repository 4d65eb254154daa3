//! Tool declarations in the shapes of Anthropic, OpenAI, Gemini, Bedrock and Trimtab JSONL.

use serde::Deserialize;

use super::Tool;
use super::wire::{Fields, List, Raw, Str};

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireTool<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    r#type: Str<'a>,
    description: Str<'a>,
    schema: Option<Raw<'a>>,
    input_schema: Option<Raw<'a>>,
    parameters: Option<Raw<'a>>,
    function: Option<Raw<'a>>,
    #[serde(rename = "parametersJsonSchema", alias = "parameters_json_schema")]
    json_schema: Option<Raw<'a>>,
    #[serde(rename = "toolSpec")]
    tool_spec: Option<Raw<'a>>,
    #[serde(rename = "inputSchema")]
    bedrock_schema: Option<Raw<'a>>,
}

/// Parses a list of tools, ignoring entries with neither a name nor the type of a tool that the provider runs.
pub(super) fn parse_tools(raw: Option<Raw<'_>>) -> Vec<Tool> {
    parse_each(raw.map(Raw::elements).unwrap_or_default())
}

/// Parses the entries of a list of tools.
pub(super) fn parse_each<'a>(entries: impl Iterator<Item = Raw<'a>>) -> Vec<Tool> {
    entries.flat_map(declarations).filter_map(parse_tool).collect()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionDeclarations<'a> {
    #[serde(borrow, rename = "functionDeclarations", alias = "function_declarations")]
    list: List<'a>,
}

/// The declarations in an entry of the list. The Gemini API groups several in one.
fn declarations(raw: Raw<'_>) -> Vec<Raw<'_>> {
    raw.object::<FunctionDeclarations<'_>>().and_then(|group| group.list.0).unwrap_or_else(|| vec![raw])
}

/// Parses a name, or an object with name, description and schema, perhaps nested in `function` or `toolSpec`.
fn parse_tool(raw: Raw<'_>) -> Option<Tool> {
    if raw.is_string() {
        let name = raw.parse::<Str<'_>>()?.non_empty()?;
        return Some(Tool { name, description: None, schema: None });
    }
    let outer: WireTool<'_> = raw.object()?;
    let tool = outer.function.or(outer.tool_spec).and_then(Raw::object).unwrap_or(outer);
    // A tool that the provider runs has a type and perhaps no name.
    let name = tool.name.non_empty().or_else(|| tool.r#type.non_empty().filter(|kind| kind != "function"))?;
    let bedrock_schema = || tool.bedrock_schema.and_then(Raw::object::<Fields<'_>>)?.get("json");
    let schema = tool.schema.or(tool.input_schema).or(tool.parameters).or(tool.json_schema).or_else(bedrock_schema);
    Some(Tool {
        name,
        description: tool.description.get().map(Into::into),
        schema: schema.map(|raw| compact_schema(raw).into()),
    })
}

/// Returns a schema as compact JSON. A schema recorded as a string is returned unchanged.
fn compact_schema(raw: Raw<'_>) -> String {
    match raw.value() {
        serde_json::Value::String(text) => text,
        json => json.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::wire::Indexed;

    #[test]
    fn every_shape_of_a_tool_declaration_is_parsed() {
        let text = r#"["bash", {"type":"function","function":{"name":"a","description":"d","parameters":{"x" : 1}}},
            {"name":"b","input_schema":{}}, {"type":"web_search"}, {"functionDeclarations":[{"name":"c","parametersJsonSchema":{}},{"name":"d"}]}, 5]"#;
        let json = Indexed::of(text).expect("JSON");
        let raw = json.raw();
        let tools = parse_tools(Some(raw));
        let parsed: Vec<_> = tools.iter().map(|tool| (tool.name.as_str(), tool.schema.as_deref())).collect();
        let expected = [("bash", None), ("a", Some(r#"{"x":1}"#)), ("b", Some("{}")), ("web_search", None)];
        assert_eq!(parsed[..4], expected);
        assert_eq!(parsed[4..], [("c", Some("{}")), ("d", None)]);
        assert_eq!(tools[1].description.as_deref(), Some("d"));
    }
}
