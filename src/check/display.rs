//! Formatting of readings.

use super::policy::Reading;
use crate::fact::{Parameter, ParameterKind, Scope};
use crate::quantity::{Type, Value};

/// Formats a reading as in a policy: `repeats(within: 5 calls)`.
pub fn format_reading(reading: &Reading) -> String {
    let arguments: Vec<String> = reading.fact.parameters.iter().zip(&reading.arguments).filter_map(argument).collect();
    match arguments.as_slice() {
        [] => reading.fact.name.to_owned(),
        some => format!("{}({})", reading.fact.name, some.join(", ")),
    }
}

/// Formats an argument; `None` for the default word, which is left out.
fn argument((parameter, value): (&&Parameter, &Value)) -> Option<String> {
    match (parameter.kind, value) {
        (ParameterKind::Scope, Value::Text(word)) if word == Scope::WORDS[0] => None,
        (ParameterKind::Number(unit, _), value) => {
            Some(format!("{}: {}", parameter.name, value.display(Type::Number(unit))))
        }
        (ParameterKind::Rule, Value::Text(text)) => Some(text.to_string()),
        (ParameterKind::Tool, Value::Text(text)) => Some(format!("{text:?}")),
        (_, value) => Some(format!("{}: {}", parameter.name, value.format_bare(Type::Name))),
    }
}
