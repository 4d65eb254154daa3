//! Settings files of any system with any values.

use serde_json::{Map, Value as Json, json};

use crate::system::{Kind, Syntax, System};

pub(super) fn file_name(system: &System) -> String {
    let end = match system.syntax {
        Syntax::Json => "json",
        Syntax::Toml => "toml",
        Syntax::Yaml => "yaml",
    };
    system.files.first().map_or(format!("settings.{end}"), |file| (*file).to_owned())
}

/// Writes values at their paths.
pub(super) fn text(system: &System, values: &[(&str, Json)]) -> String {
    let mut root = Json::Object(Map::new());
    for (path, value) in values {
        put(&mut root, path, value.clone());
    }
    if system.syntax == Syntax::Toml {
        let lines = root.as_object().unwrap().iter().map(|(key, value)| format!("{key:?} = {}\n", toml(value)));
        lines.collect()
    } else {
        format!("{root:#}\n")
    }
}

/// Puts a value at a path.
pub(super) fn put(node: &mut Json, path: &str, value: Json) {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let (key, kind) = step
        .strip_suffix(']')
        .and_then(|step| step.split_once('['))
        .map_or((step, None), |(key, kind)| (key, Some(kind)));
    let key = if key == "*" { "any" } else { key };
    if !node.is_object() {
        *node = json!({});
    }
    let mut slot = node.as_object_mut().unwrap().entry(key).or_insert(Json::Null);
    if let Some(kind) = kind {
        if !slot.is_array() {
            *slot = json!([]);
        }
        let list = slot.as_array_mut().unwrap();
        let at = list.iter().position(|element| element["type"] == kind).unwrap_or_else(|| {
            list.push(json!({ "type": kind }));
            list.len() - 1
        });
        slot = &mut list[at];
    }
    match rest {
        Some(rest) => put(slot, rest, value),
        None => *slot = value,
    }
}

/// A value in TOML.
pub(super) fn toml(value: &Json) -> String {
    match value {
        Json::Object(map) => {
            let entries: Vec<String> = map.iter().map(|(key, value)| format!("{key:?} = {}", toml(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Json::Array(list) => format!("[{}]", list.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// A value that an option takes.
pub(super) fn valid(kind: &Kind, seed: u64) -> Json {
    match kind {
        Kind::Flag => json!(seed.is_multiple_of(2)),
        Kind::Whole(_, least, most) => json!(least + seed % (most - least).clamp(1, 300_000)),
        Kind::Signed(_) => json!(i64::try_from(seed % 50_000).unwrap() - 1),
        Kind::Share => json!(f64::from(u32::try_from(seed % 101).unwrap()) / 100.0),
        Kind::Percent => json!(1 + seed % 100),
        Kind::Number => json!(seed % 1_000),
        Kind::Text => {
            json!(["one line", "two\n\"lines\"", "{braces} \\ \"\"\"", ""][usize::try_from(seed % 4).unwrap()])
        }
        Kind::Word(words) => json!(words[usize::try_from(seed).unwrap() % words.len()]),
        Kind::Names => {
            json!(["bash", "mcp__*", "odd name \u{FDD0}", "{odd}"][..usize::try_from(seed % 5).unwrap()].to_vec())
        }
        Kind::AnyOf(kinds) => valid(&kinds[usize::try_from(seed).unwrap() % kinds.len()], seed / 7),
        Kind::Anything => json!({ "anything": [seed] }),
    }
}

/// Returns a value that an option does not take, or `None` if it takes anything.
pub(super) fn invalid(kind: &Kind, seed: u64) -> Option<Json> {
    let takes = |kinds: &[Kind], value: &Json| kinds.iter().any(|kind| accepts(kind, value));
    let values = [json!("no such word"), json!(-1), json!(1.5), json!([1]), json!({ "a": 1 }), json!(1e30), json!([])];
    let kinds = std::slice::from_ref(kind);
    let left: Vec<&Json> = values.iter().filter(|value| !takes(kinds, value)).collect();
    left.get(usize::try_from(seed).unwrap() % left.len().max(1)).map(|value| (*value).clone())
}

fn accepts(kind: &Kind, value: &Json) -> bool {
    match kind {
        // In an environment, a number is a flag too.
        Kind::Flag => value.is_boolean() || value.is_number(),
        Kind::Whole(_, least, _) => value.as_u64().is_some_and(|number| number >= *least),
        Kind::Signed(_) => value.as_i64().is_some() || value.as_f64() == Some(1e30),
        Kind::Share => false,
        Kind::Percent => value.as_f64() == Some(1.5),
        Kind::Number => value.as_f64().is_some_and(|number| number >= 0.0),
        Kind::Text => value.is_string(),
        Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Names => value.as_array().is_some_and(Vec::is_empty),
        Kind::AnyOf(kinds) => kinds.iter().any(|kind| accepts(kind, value)),
        Kind::Anything => true,
    }
}
