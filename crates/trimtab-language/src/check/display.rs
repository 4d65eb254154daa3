//! Formatting of readings.

use trimtab_base::quantity::{Type, Value};

use super::policy::Reading;
use crate::fact::{CallsFrom, Parameter, ParameterKind, Recent, argument_texts, tool_names};

/// Formats a reading as in a policy: `repeats(within: 5 calls)`.
pub fn format_reading(reading: &Reading) -> String {
    if reading.host_fact().is_some() {
        return reading.name().into();
    }
    let arguments: Vec<String> = reading.fact.parameters.iter().zip(&reading.arguments).filter_map(argument).collect();
    match arguments.as_slice() {
        [] if reading.fact.compares_facts() => format!("{}()", reading.fact.name),
        [] => reading.fact.name.to_owned(),
        some => format!("{}({})", reading.fact.name, some.join(", ")),
    }
}

/// Whether a name may stand in a list without quotes.
pub fn is_list_name(name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let body = name.strip_suffix('*').unwrap_or(name);
    body.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && body.chars().all(part)
}

/// Formats tools as a list: `[bash, mcp__*]`.
fn format_tools(argument: &str) -> String {
    let name = |name: &str| if is_list_name(name) { name.to_owned() } else { format!("{name:?}") };
    format!("[{}]", tool_names(argument).map(name).collect::<Vec<_>>().join(", "))
}

/// Formats an argument; `None` for the default word, which is left out.
fn argument((parameter, value): (&&Parameter, &Value)) -> Option<String> {
    match (parameter.kind, value) {
        (ParameterKind::CallsFrom, Value::Text(word)) if word == CallsFrom::WORDS[0] => None,
        _ if parameter.is_omitted(value) => None,
        (ParameterKind::Tools | ParameterKind::AfterTools, Value::Text(names)) => {
            Some(format!("{}: {}", parameter.name, format_tools(names)))
        }
        (ParameterKind::Texts, Value::Text(texts)) => Some(format!("{:?}", argument_texts(texts))),
        (ParameterKind::Number(unit, _) | ParameterKind::Limit(unit), value) => {
            Some(format!("{}: {}", parameter.name, value.display(Type::Number(unit))))
        }
        (ParameterKind::Recent(..), value) => {
            Recent::read(value).map(|recent| format!("{}: {}", parameter.name, recent.quantity()))
        }
        (ParameterKind::Rule | ParameterKind::Facts, Value::Text(text)) => Some(text.to_string()),
        (ParameterKind::Tool, Value::Text(text)) => Some(format!("{text:?}")),
        (_, value) => Some(format!("{}: {}", parameter.name, value.format_bare(Type::Name))),
    }
}
