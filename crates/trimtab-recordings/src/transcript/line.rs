//! What the lines of a file are to each other: for formats of which one file may hold many conversations.
//!
//! A [`Classify`] looks at one line only and parses no more of it than it needs. [`super::Pieces`] cuts a file between
//! conversations with it, so that the whole file need not be in memory.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::wire::Str;

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// It is a whole conversation.
    Whole,
    /// It belongs to no conversation.
    Other,
    /// A conversation begins with it.
    First,
    /// It belongs to the conversation before it, or to one with lines anywhere in the file.
    Part,
}

/// Returns what a line is. Blank lines are not asked for.
pub(super) type Classify = fn(&str) -> Line;

/// An object with one of `conversation` among its keys is a whole conversation, one with only a key among `parts` is a
/// part of one. Anything else but an array belongs to no conversation.
pub(super) fn by_key(line: &str, conversation: &[&str], parts: &[&str]) -> Line {
    if line.trim_start().starts_with('[') {
        return Line::Part;
    }
    let mut search = KeySearch { conversation, parts, found: None };
    let result = serde_json::Deserializer::from_str(line).deserialize_map(&mut search);
    match (search.found, result) {
        // The search ends at the key, which the parser reports as an error.
        (Some(Line::Whole), _) => Line::Whole,
        (Some(found), Ok(())) => found,
        _ => Line::Other,
    }
}

struct KeySearch<'a> {
    conversation: &'a [&'a str],
    parts: &'a [&'a str],
    found: Option<Line>,
}

impl<'de> Visitor<'de> for &mut KeySearch<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Str<'de>>()? {
            if self.conversation.contains(&key.as_str()) {
                self.found = Some(Line::Whole);
                return Ok(());
            }
            if self.parts.contains(&key.as_str()) {
                self.found = Some(Line::Part);
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_an_object_decide() {
        let line = |text| by_key(text, &["messages"], &["role"]);
        assert_eq!(line(r#"{"role":"x","messages":[}"#), Line::Whole);
        assert_eq!(line(r#"{"id":{"messages":1},"role":"x"}"#), Line::Part);
        assert_eq!(line(r#"{"id":1}"#), Line::Other);
        assert_eq!(line(r#"{"role":"x","#), Line::Other, "a broken line belongs to no conversation");
        assert_eq!(line("[1]"), Line::Part);
    }
}
