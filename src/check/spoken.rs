//! Readings as an author would write them.

use super::policy::Reading;
use crate::fact::{Parameter, ParameterKind, Scope};
use crate::quantity::{Type, Value};

/// A reading as an author would write it: `repeats(within: 5 calls)`.
pub fn spoken(reading: &Reading) -> String {
    let arguments: Vec<String> = reading.fact.parameters.iter().zip(&reading.arguments).filter_map(argument).collect();
    match arguments.as_slice() {
        [] => reading.fact.name.to_owned(),
        some => format!("{}({})", reading.fact.name, some.join(", ")),
    }
}

/// An argument; none for the first of several words, which need not be written.
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
