//! Which calls are identical: the same tool, and arguments that are equal as values.

use std::hash::BuildHasher;

use foldhash::HashMap;
use foldhash::quality::RandomState;
use serde_json::Value as Json;
use smol_str::SmolStr;

use super::arguments::Arguments;

/// Numbers for calls, from 0 in order of appearance. Identical calls have the same number, which is found in constant
/// time.
#[derive(Clone, Debug, Default)]
pub struct CallKinds {
    distinct: Vec<(SmolStr, Arguments)>,
    by_hash: HashMap<u64, Vec<usize>>,
    hashes: RandomState,
}

impl CallKinds {
    /// How many numbers have been given.
    pub fn count(&self) -> usize {
        self.distinct.len()
    }

    /// The number of a call.
    pub fn number(&mut self, tool: &SmolStr, arguments: &Arguments) -> usize {
        let distinct = &mut self.distinct;
        let same_hash = self.by_hash.entry(hash(&self.hashes, tool, arguments)).or_default();
        let is_same = |at: &usize| distinct[*at].0 == *tool && distinct[*at].1.same(arguments);
        same_hash.iter().copied().find(is_same).unwrap_or_else(|| {
            same_hash.push(distinct.len());
            distinct.push((tool.clone(), arguments.clone()));
            distinct.len() - 1
        })
    }
}

/// A hash that is equal for calls that are identical: objects hash the same in any order of their keys, numbers of any
/// notation too.
fn hash(hashes: &RandomState, tool: &str, arguments: &Arguments) -> u64 {
    let value = match arguments.parsed() {
        Some(json) => hash_json(hashes, json),
        None => hashes.hash_one(arguments.text()),
    };
    hashes.hash_one((tool, value))
}

fn hash_json(hashes: &RandomState, json: &Json) -> u64 {
    let inner = |json: &Json| hash_json(hashes, json);
    match json {
        Json::Null => 1,
        Json::Bool(value) => hashes.hash_one(value),
        // `0.0` equals `-0.0`.
        Json::Number(number) => hashes.hash_one(number.as_f64().map(|value| (value + 0.0).to_bits())),
        Json::String(text) => hashes.hash_one(text),
        Json::Array(items) => hashes.hash_one(items.iter().map(inner).collect::<Vec<_>>()),
        Json::Object(map) => {
            map.iter().fold(3, |sum, (key, value)| sum.wrapping_add(hashes.hash_one((key, inner(value)))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_equal_values_have_one_number() {
        let mut kinds = CallKinds::default();
        let text = |text: &str| Arguments::Text(text.into());
        let (ls, cat) = (SmolStr::new("ls"), SmolStr::new("cat"));
        let both = text(r#"{"a": 1, "b": [2]}"#);
        assert_eq!(kinds.number(&ls, &both), 0);
        assert_eq!(kinds.number(&ls, &text(r#"{"b":[2],"a":1}"#)), 0);
        assert_eq!(kinds.number(&ls, &Arguments::from(serde_json::json!({"b": [2], "a": 1}))), 0);
        assert_eq!(kinds.number(&cat, &both), 1);
        assert_eq!(kinds.number(&ls, &text(r#"{"a": 1, "b": [3]}"#)), 2);
        assert_eq!(kinds.number(&ls, &text("not json")), 3);
        assert_eq!(kinds.number(&ls, &text("not json")), 3);
        assert_eq!(kinds.number(&ls, &text("[0.0]")), 4);
        assert_eq!(kinds.number(&ls, &text("[-0.0]")), 4);
    }
}
