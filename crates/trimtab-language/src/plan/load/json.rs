//! Parses JSON that is nested as deeply as a plan can be.

use serde::Deserialize;
use serde_json::Value as Json;

/// The deepest nesting. Conditions have at most 32 levels of brackets, each of which adds at most five levels.
const MAX_DEPTH: usize = 192;

pub(in super::super) fn parse(text: &str) -> Result<Json, String> {
    if depth(text) > MAX_DEPTH {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // Its own limit is lower.
    deserializer.disable_recursion_limit();
    let json = Json::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(json)
}

/// The number of brackets that are open at the same time, outside of strings.
fn depth(text: &str) -> usize {
    let (mut open, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
