//! The attributes of a span, in whatever way they were recorded: nested or with dots, typed as in OTLP or not.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use crate::transcript::wire::TokenCount;

/// Attributes by their full names. Lists stay values.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes(BTreeMap<String, Json>);

impl Attributes {
    /// The attributes in an object, or in a list of keys and typed values as in OTLP.
    pub(super) fn of(json: Json) -> Self {
        let mut attributes = Self::default();
        match json {
            Json::Array(items) => attributes.insert_all("", typed_entries(items)),
            Json::Object(map) => attributes.insert_all("", map),
            _ => {}
        }
        attributes
    }

    fn insert_all(&mut self, prefix: &str, map: Map<String, Json>) {
        for (key, value) in map {
            let key = format!("{prefix}{key}");
            match value {
                Json::Object(map) => self.insert_all(&format!("{key}."), map),
                value => drop(self.0.insert(key, value)),
            }
        }
    }

    /// Adds attributes that this lacks.
    pub(super) fn add_missing(&mut self, other: &Self) {
        for (key, value) in &other.0 {
            self.0.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The first of these attributes that is a text and not empty.
    pub(super) fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().filter_map(|key| self.0.get(*key)?.as_str()).find(|text| !text.is_empty())
    }

    pub(super) fn short_text(&self, keys: &[&str]) -> Option<SmolStr> {
        self.text(keys).map(SmolStr::new)
    }

    /// The number of tokens in the first of these attributes that there is, perhaps written as a text.
    pub(super) fn tokens(&self, keys: &[&str]) -> TokenCount {
        let tokens = |key: &&str| match self.0.get(*key)? {
            Json::Null => None,
            Json::String(text) => Some(text.parse().map_or(TokenCount::INVALID, |tokens| TokenCount(Some(tokens)))),
            value => Some(TokenCount::of(value)),
        };
        keys.iter().find_map(tokens).unwrap_or_default()
    }

    /// The value of an attribute, parsed if it is JSON in a text, or put together from attributes whose names begin with
    /// its name.
    pub(super) fn value(&self, key: &str) -> Option<Json> {
        match self.0.get(key) {
            Some(Json::String(text)) => Some(parse_text(text)),
            Some(value) => Some(value.clone()),
            None => self.nested(key),
        }
    }

    /// The value of the attributes below a name.
    fn nested(&self, key: &str) -> Option<Json> {
        let prefix = format!("{key}.");
        let mut entries: BTreeMap<&str, Self> = BTreeMap::new();
        for (name, value) in self.0.range(prefix.clone()..) {
            let Some(rest) = name.strip_prefix(&prefix) else { break };
            let (head, tail) = rest.split_once('.').unwrap_or((rest, ""));
            entries.entry(head).or_default().0.insert(tail.to_owned(), value.clone());
        }
        let join = |mut below: Self| match below.0.remove("") {
            Some(value) => value,
            None => Self(below.0.into_iter().map(|(name, value)| (format!("x.{name}"), value)).collect())
                .nested("x")
                .unwrap_or_default(),
        };
        if entries.is_empty() {
            return None;
        }
        let indexes: Option<BTreeMap<usize, &str>> =
            entries.keys().map(|head| head.parse().ok().map(|index| (index, *head))).collect();
        Some(match indexes {
            Some(indexes) => {
                let mut sorted = indexes.into_values().filter_map(|head| entries.remove(head)).collect::<Vec<_>>();
                sorted.drain(..).map(join).collect()
            }
            None => Json::Object(entries.into_iter().map(|(head, below)| (head.to_owned(), join(below))).collect()),
        })
    }
}

/// A list or an object in a text, or the text.
pub(super) fn parse_text(text: &str) -> Json {
    let is_json = text.trim_start().starts_with(['[', '{']) && !crate::transcript::record::is_deep(text.as_bytes());
    let parsed = is_json.then(|| serde_json::from_str(text).ok()).flatten();
    parsed.unwrap_or_else(|| Json::String(text.to_owned()))
}

/// The entries of a list of keys and typed values.
fn typed_entries(items: Vec<Json>) -> Map<String, Json> {
    let entry = |item: Json| match item {
        Json::Object(mut entry) => {
            let key = entry.remove("key")?.as_str()?.to_owned();
            Some((key, typed_value(entry.remove("value")?)))
        }
        _ => None,
    };
    items.into_iter().filter_map(entry).collect()
}

/// A value of which the only key is its type.
fn typed_value(json: Json) -> Json {
    let Json::Object(map) = json else { return json };
    let Some((kind, value)) = map.into_iter().next() else { return Json::Null };
    let values = |mut value: Json| match value.get_mut("values").map(Json::take) {
        Some(Json::Array(values)) => values,
        _ => Vec::new(),
    };
    match kind.as_str() {
        "arrayValue" | "array_value" => values(value).into_iter().map(typed_value).collect(),
        "kvlistValue" | "kvlist_value" => Json::Object(typed_entries(values(value))),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn typed_and_plain_attributes_are_the_same() {
        let typed = Attributes::of(json!([
            {"key": "a.n", "value": {"intValue": "7"}}, {"key": "a.s", "value": {"stringValue": "x"}},
            {"key": "l", "value": {"arrayValue": {"values": [{"stringValue": "y"}]}}},
            {"key": "m", "value": {"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": true}}]}}}, 5,
        ]));
        let plain = Attributes::of(json!({"a": {"n": 7, "s": "x"}, "l": ["y"], "m.k": true}));
        for attributes in [typed, plain] {
            assert_eq!((attributes.tokens(&["a.n"]).0, attributes.text(&["b", "a.s"])), (Some(7), Some("x")));
            assert_eq!([attributes.value("l"), attributes.value("m")], [Some(json!(["y"])), Some(json!({"k": true}))]);
        }
    }

    #[test]
    fn numbered_attributes_are_a_list() {
        let attributes =
            Attributes::of(json!({"p.10.role": "c", "p.2.role": "b", "p.0.role": "a", "p.0.calls.0.id": "x"}));
        let expected = json!([{"role": "a", "calls": [{"id": "x"}]}, {"role": "b"}, {"role": "c"}]);
        assert_eq!(attributes.value("p").map(|value| value.to_string().len()), Some(expected.to_string().len()));
        assert_eq!(attributes.value("p"), Some(expected));
    }

    #[test]
    fn json_in_a_text_is_parsed() {
        let attributes = Attributes::of(json!({"a": "[1]", "b": "[1", "c": "1"}));
        let values = ["a", "b", "c", "d"].map(|key| attributes.value(key));
        assert_eq!(values, [Some(json!([1])), Some(json!("[1")), Some(json!("1")), None]);
    }
}
