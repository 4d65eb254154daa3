//! JSON that is checked and indexed once, and then converted value by value.
//!
//! [`super::Indexed::of`] checks a text and indexes its values. Most bytes of a recording are in strings four or five levels deep.
//! With the index, a [`Raw`] value is skipped or taken apart without looking at them again; `serde_json` would check them
//! once more at each level. It still parses numbers and literals.

use std::fmt;
use std::sync::Arc;

use memchr::{memchr, memchr2, memmem};
use serde::de::value::{BorrowedBytesDeserializer, BorrowedStrDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Error, Value as Json};

use super::Text;
use super::index::Node;
use super::unescape::with_text;

/// The name by which [`Raw`] asks [`Reader`] for the value itself.
const RAW: &str = "trimtab::Raw";

/// The nesting levels of arrays and objects that `serde_json` parses to a value.
const MAX_VALUE_DEPTH: usize = 127;

/// A value in a JSON text.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a> {
    text: &'a str,
    /// The part of the index for this value.
    nodes: &'a [u8],
}

impl<'a> Raw<'a> {
    /// The value of a text, with its part of an index.
    pub(super) const fn new(text: &'a str, nodes: &'a [u8]) -> Self {
        Self { text, nodes }
    }

    /// The JSON text of the value.
    pub(crate) fn get(self) -> &'a str {
        let range = Node::first(self.nodes).map(|node| node.start as usize..node.end as usize);
        range.and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    /// Returns whether the JSON text contains a string.
    pub(crate) fn mentions(self, text: &str) -> bool {
        memmem::find(self.get().as_bytes(), text.as_bytes()).is_some()
    }

    /// The first byte of the JSON text, which tells the type.
    fn first_byte(self) -> Option<u8> {
        self.text.as_bytes().get(Node::first(self.nodes)?.start as usize).copied()
    }

    /// Returns whether the value is `null`, or a number that stands for one that is not finite.
    pub(crate) fn is_null(self) -> bool {
        self.first_byte() == Some(b'n') || self.is_infinite()
    }

    /// Returns whether the value is a number that is too large for `f64`.
    fn is_infinite(self) -> bool {
        let is_number = self.first_byte().is_some_and(|byte| byte == b'-' || byte.is_ascii_digit());
        is_number && may_be_infinite(self.get()) && self.get().parse::<f64>().is_ok_and(f64::is_infinite)
    }

    /// Returns whether the value is a string.
    pub(crate) fn is_string(self) -> bool {
        self.first_byte() == Some(b'"')
    }

    /// Returns whether the value is an array.
    pub(crate) fn is_array(self) -> bool {
        self.first_byte() == Some(b'[')
    }

    /// Returns whether the value is an array without elements.
    pub(crate) fn is_empty_list(self) -> bool {
        self.is_array() && self.nodes.len() <= Node::LENGTH
    }

    /// Returns whether the value is an object.
    pub(crate) fn is_object(self) -> bool {
        self.first_byte() == Some(b'{')
    }

    /// Returns whether arrays and objects nest deeper than this.
    pub(crate) fn is_deeper_than(self, levels: usize) -> bool {
        if self.nodes.len() <= levels * Node::LENGTH {
            return false;
        }
        // Where the arrays and objects around a value end.
        let mut ends: Vec<u32> = Vec::new();
        let (entries, _) = self.nodes.as_chunks::<{ Node::LENGTH }>();
        let mut nodes = entries.iter().filter_map(|entry| Node::first(entry));
        nodes.any(|node| {
            while ends.last().is_some_and(|end| *end <= node.start) {
                ends.pop();
            }
            if matches!(self.text.as_bytes().get(node.start as usize), Some(b'[' | b'{')) {
                ends.push(node.end);
            }
            ends.len() > levels
        })
    }

    /// Converts the value. Returns `None` when it has another type.
    pub(crate) fn parse<T: Deserialize<'a>>(self) -> Option<T> {
        T::deserialize(Reader(self)).ok()
    }

    /// Converts a value that is an object.
    pub(crate) fn object<T: Deserialize<'a>>(self) -> Option<T> {
        if self.is_object() { self.parse() } else { None }
    }

    /// The text of a string.
    pub(crate) fn text(self) -> Option<Arc<str>> {
        self.is_string().then(|| self.parse::<Text>().and_then(|text| text.0).unwrap_or_default())
    }

    /// The elements of an array. Empty for any other value.
    pub(crate) fn elements(self) -> Elements<'a> {
        if self.is_array() { self.inside() } else { Elements::default() }
    }

    /// What an array or an object contains.
    fn inside(self) -> Elements<'a> {
        Elements { text: self.text, nodes: self.nodes.get(Node::LENGTH..).unwrap_or_default() }
    }

    /// The value as JSON. One that nests too deeply becomes a string with its JSON text.
    pub(crate) fn value(self) -> Json {
        self.json().unwrap_or_else(|| Json::String(self.get().to_owned()))
    }

    /// The value as JSON; `None` for one that nests too deeply for code that recurses.
    pub(crate) fn json(self) -> Option<Json> {
        if self.is_deeper_than(MAX_VALUE_DEPTH) { None } else { self.parse() }
    }
}

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value in an indexed JSON text")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw<'de>, A::Error> {
        match map.next_entry()? {
            Some((text, nodes)) => Ok(Raw { text, nodes }),
            None => Err(de::Error::custom("no value")),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, RawVisitor)
    }
}

/// Passes a value to [`RawVisitor`], as an entry of the text and the index.
struct RawAccess<'de>(Option<Raw<'de>>);

impl<'de> MapAccess<'de> for RawAccess<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.0.map(|raw| seed.deserialize(BorrowedStrDeserializer::new(raw.text))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let nodes = self.0.take().map(|raw| raw.nodes).unwrap_or_default();
        seed.deserialize(BorrowedBytesDeserializer::new(nodes))
    }
}

/// The values of an array, or the names and values of an object, that have not been taken yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements<'a> {
    text: &'a str,
    nodes: &'a [u8],
}

impl<'a> Iterator for Elements<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Raw<'a>> {
        let length = Node::first(self.nodes)?.size as usize * Node::LENGTH;
        let (nodes, rest) = self.nodes.split_at_checked(length)?;
        self.nodes = rest;
        Some(Raw { text: self.text, nodes })
    }
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.next().map(|raw| seed.deserialize(Reader(raw))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.clone().count())
    }
}

impl<'de> MapAccess<'de> for Elements<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        self.next_element_seed(seed)?.ok_or_else(|| de::Error::custom("a name without a value"))
    }
}

/// Deserializes a value.
struct Reader<'de>(Raw<'de>);

impl<'de> Reader<'de> {
    fn parse_scalar<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // `serde_json` rejects such a number, and the values around it with it.
        if self.0.is_infinite() {
            return visitor.visit_unit();
        }
        serde_json::Deserializer::from_str(self.0.get()).deserialize_any(visitor)
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut inside = self.0.inside();
        let value = match self.0.first_byte() {
            Some(b'{') => visitor.visit_map(&mut inside)?,
            Some(b'[') => visitor.visit_seq(&mut inside)?,
            Some(b'"') => match without_quotes(self.0.get()) {
                text if memchr(b'\\', text.as_bytes()).is_none() => visitor.visit_borrowed_str(text)?,
                string => with_text(string, |text| visitor.visit_str(text))
                    .unwrap_or_else(|| Err(de::Error::custom("a lone surrogate")))?,
            },
            _ => self.parse_scalar(visitor)?,
        };
        // What a visitor leaves is an error for `serde_json` too.
        if inside.nodes.is_empty() { Ok(value) } else { Err(de::Error::custom("too many elements")) }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        if name == RAW { visitor.visit_map(RawAccess(Some(self.0))) } else { visitor.visit_newtype_struct(self) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        serde_json::Deserializer::from_str(self.0.get()).deserialize_enum(name, variants, visitor)
    }

    /// Numbers of tokens are read with this: an infinite one is none.
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_infinite() { visitor.visit_f64(f64::INFINITY) } else { self.deserialize_any(visitor) }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

/// Whether a number is written with an exponent or with more digits than the largest `f64` has.
fn may_be_infinite(number: &str) -> bool {
    const DIGITS: usize = 309;
    number.len() >= DIGITS || memchr2(b'e', b'E', number.as_bytes()).is_some()
}

/// The text of a string between its quotation marks.
fn without_quotes(string: &str) -> &str {
    string.get(1..string.len().saturating_sub(1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::transcript::wire::{Fields, Indexed, List};

    fn indexed(text: &str) -> Indexed<'_> {
        Indexed::of(text).expect("JSON")
    }

    fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
        indexed(text).raw().parse()
    }

    /// What [`Reader`] makes of a value, level by level.
    fn rebuilt(raw: Raw<'_>) -> Json {
        if let Some(fields) = raw.object::<Fields<'_>>() {
            return Json::Object(fields.0.into_iter().map(|(name, raw)| (name.into_owned(), rebuilt(raw))).collect());
        }
        match raw.parse::<List<'_>>().and_then(|list| list.0) {
            Some(list) => list.into_iter().map(rebuilt).collect(),
            None => raw.parse().expect("a scalar"),
        }
    }

    fn values() -> impl Strategy<Value = Json> {
        let scalar = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            r#"[a-c\\",:{}\[\]\n é😀]{0,12}"#.prop_map(Json::from),
        ];
        scalar.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
                prop::collection::hash_map(r#"[a-c\\"}]{0,3}"#, inner, 0..6)
                    .prop_map(|entries| Json::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reading_level_by_level_gives_the_same_value(value in values(), is_pretty: bool) {
            let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.expect("JSON");
            prop_assert_eq!(
                rebuilt(indexed(&format!("\n {text}\t")).raw()),
                serde_json::from_str::<Json>(&text).expect("JSON")
            );
        }
    }

    #[test]
    fn only_valid_json_is_indexed() {
        for text in ["", "{\"a\":}", "[1,2", "\"a", "1 2", "{\"a\":1}}", "\"\\x\"", "nul"] {
            assert!(Indexed::of(text).is_none(), "{text}");
        }
        assert_eq!(indexed(" [1] \r\n").raw().get(), "[1]");
    }

    #[test]
    fn a_null_is_an_absent_optional_value_and_a_raw_value_otherwise() {
        let null = indexed("null");
        assert!(null.raw().parse::<Option<Raw<'_>>>().expect("optional").is_none());
        assert_eq!(null.raw().parse::<Raw<'_>>().map(Raw::get), Some("null"));
    }

    #[test]
    fn a_value_of_another_type_is_rejected() {
        assert_eq!(parse::<u64>("\"x\""), None);
        assert_eq!(parse::<(u64, u64)>("[1,2,3]"), None);
        assert_eq!(parse::<(u64, u64)>("[1,2]"), Some((1, 2)));
        assert_eq!(indexed("{\"a\":1}").raw().elements().count(), 0);
        assert_eq!(indexed("{\"a\" : [ 1 , {} ] }").raw().value(), json!({ "a": [1, {}] }));
    }

    #[test]
    fn raw_values_are_read_from_an_index_only() {
        for text in ["\"x\"", "{\"x\":\"y\"}", "{}"] {
            assert!(serde_json::from_str::<Raw<'_>>(text).is_err());
        }
    }
}
