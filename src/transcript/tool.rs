//! Declared tools, in the shapes that providers and the own form write them.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Tool;
use super::wire::{self, Str};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    #[serde(borrow)]
    description: Str<'a>,
    #[serde(borrow)]
    schema: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow)]
    function: Option<&'a RawValue>,
}

/// A list of tools; entries without a name are left out.
pub(super) fn read_all(raw: Option<&RawValue>) -> Vec<Tool> {
    raw.map(wire::elements).unwrap_or_default().into_iter().filter_map(read).collect()
}

/// A name, or an object with name, description and schema, perhaps inside `function`.
fn read(raw: &RawValue) -> Option<Tool> {
    if wire::is_string(raw) {
        let name = wire::parse::<Str<'_>>(raw)?.name()?;
        return Some(Tool { name, description: None, schema: None });
    }
    let outer: Wire<'_> = wire::object(raw)?;
    let tool = outer.function.and_then(wire::object).unwrap_or(outer);
    let schema = tool.schema.or(tool.input_schema).or(tool.parameters);
    Some(Tool {
        name: tool.name.name()?,
        description: tool.description.get().map(Into::into),
        schema: schema.map(|raw| compact(raw).into()),
    })
}

/// A schema as compact JSON; one that stands in a string as that string.
fn compact(raw: &RawValue) -> String {
    match wire::value(raw) {
        serde_json::Value::String(text) => text,
        json => json.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_a_declaration_is_read() {
        let text = r#"["bash", {"type":"function","function":{"name":"a","description":"d","parameters":{"x" : 1}}},
            {"name":"b","input_schema":{}}, {"type":"web_search"}, 5]"#;
        let raw: &RawValue = serde_json::from_str(text).expect("JSON");
        let tools = read_all(Some(raw));
        let seen: Vec<_> = tools.iter().map(|tool| (tool.name.as_str(), tool.schema.as_deref())).collect();
        assert_eq!(seen, [("bash", None), ("a", Some(r#"{"x":1}"#)), ("b", Some("{}"))]);
        assert_eq!(tools[1].description.as_deref(), Some("d"));
    }
}
