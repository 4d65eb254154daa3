//! Lenient JSON types for the records of all formats: a field of an unexpected type is left empty, and its record still
//! parses.
//!
//! The types borrow from the JSON text where they can, and values that may not be needed stay raw. Nothing here depends
//! on a recording format.
//!
//! A struct of borrowing fields needs `#[serde(borrow)]` on one of them only: it bounds the lifetime for the whole
//! struct.

mod raw;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use memchr::memmem;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use smol_str::SmolStr;

pub(super) use raw::{Content, Fields, List};

use crate::conversation::Arguments;

/// A type that any JSON value converts to. The default for each kind of value is the empty value.
trait FromAny<'de>: Default {
    /// Converts a string without escapes.
    fn from_borrowed(text: &'de str) -> Self {
        Self::from_text(text)
    }
    /// Converts any string.
    fn from_text(_: &str) -> Self {
        Self::default()
    }
    /// Converts a boolean.
    fn from_bool(_: bool) -> Self {
        Self::default()
    }
    /// Converts a number; the second argument is set when it is a non-negative integer.
    fn from_number(_: f64, _: Option<u64>) -> Self {
        Self::default()
    }
    /// Converts an array.
    fn from_array<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    /// Converts an object.
    fn from_object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

struct AnyVisitor<T>(PhantomData<T>);

impl<'de, T: FromAny<'de>> Visitor<'de> for AnyVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::from_borrowed(text))
    }
    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::from_text(text))
    }
    fn visit_bool<E>(self, flag: bool) -> Result<T, E> {
        Ok(T::from_bool(flag))
    }
    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok(T::from_number(0.0, Some(number)))
    }
    fn visit_i64<E>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_f64<E>(self, number: f64) -> Result<T, E> {
        Ok(T::from_number(number, None))
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::from_array(seq)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_object(map)
    }
}

/// A short string, borrowed if it has no escapes. Numbers are converted to strings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Str<'a>(Option<Cow<'a, str>>);

impl<'a> Str<'a> {
    /// The string, if the field has one.
    pub(super) fn into_inner(self) -> Option<Cow<'a, str>> {
        self.0
    }

    /// The string, if the field has one.
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The string, or an empty one.
    pub(super) fn as_str(&self) -> &str {
        self.get().unwrap_or_default()
    }

    /// The string as an owned value, unless it is empty.
    pub(super) fn non_empty(&self) -> Option<SmolStr> {
        self.get().filter(|text| !text.is_empty()).map(SmolStr::new)
    }
}

impl<'de> FromAny<'de> for Str<'de> {
    fn from_borrowed(text: &'de str) -> Self {
        Self(Some(Cow::Borrowed(text)))
    }
    fn from_text(text: &str) -> Self {
        Self(Some(Cow::Owned(text.to_owned())))
    }
    fn from_number(float: f64, whole: Option<u64>) -> Self {
        Self(Some(Cow::Owned(whole.map_or_else(|| float.to_string(), |number| number.to_string()))))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::<Str<'de>>(PhantomData))
    }
}

/// A long string that is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Text(pub(super) Option<Arc<str>>);

impl FromAny<'_> for Text {
    fn from_text(text: &str) -> Self {
        Self(Some(text.into()))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor(PhantomData))
    }
}

/// A boolean; `false` for any other value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flag(pub(super) bool);

impl FromAny<'_> for Flag {
    fn from_bool(flag: bool) -> Self {
        Self(flag)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor(PhantomData))
    }
}

/// A non-negative integer; `None` for any other value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Count(pub(super) Option<u64>);

impl Count {
    /// The count, or 0.
    pub(super) fn or_zero(self) -> u64 {
        self.0.unwrap_or_default()
    }
}

impl FromAny<'_> for Count {
    fn from_number(float: f64, whole: Option<u64>) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
        Self(whole.or_else(|| (0.0..9e15).contains(&float).then_some(float as u64)))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor(PhantomData))
    }
}

/// Deserializes a struct from an object, and its default from any other value.
pub(super) fn lenient<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(AnyVisitor::<Struct<T>>(PhantomData)).map(|Struct(value)| value)
}

#[derive(Default)]
struct Struct<T>(T);

impl<'de, T: Deserialize<'de> + Default> FromAny<'de> for Struct<T> {
    fn from_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Self)
    }
}

/// Parses a raw value. Returns `None` when it has another type.
pub(super) fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// Parses a raw value that is an object.
pub(super) fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    if is_object(raw) { parse(raw) } else { None }
}

/// Parses an optional raw value other than an array.
pub(super) fn parse_or_default<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    raw.filter(|raw| !is_array(raw)).and_then(parse).unwrap_or_default()
}

/// Parses optional message content.
pub(super) fn parse_content(raw: Option<&RawValue>) -> Content<'_> {
    raw.and_then(parse).unwrap_or_default()
}

/// Parses a raw string.
pub(super) fn text(raw: &RawValue) -> Option<Arc<str>> {
    is_string(raw).then(|| parse::<Text>(raw).and_then(|text| text.0).unwrap_or_default())
}

/// The elements of an array; empty for any other value.
pub(super) fn elements(raw: &RawValue) -> Vec<&RawValue> {
    if is_array(raw) { parse(raw).unwrap_or_default() } else { Vec::new() }
}

/// The first elements of an array, at most `limit`, without parsing the others.
pub(super) fn first_elements(text: &str, limit: usize) -> Vec<&RawValue> {
    let mut left = limit;
    elements_while(text, |_| {
        left = left.saturating_sub(1);
        left > 0
    })
}

/// The elements of an array up to the first one after which there are enough, without parsing the others.
pub(super) fn elements_while(text: &str, wants_more: impl FnMut(&RawValue) -> bool) -> Vec<&RawValue> {
    let mut elements = Vec::new();
    let first = FirstElements { wants_more, elements: &mut elements };
    // When there are enough, the visitor stops the parser by returning an error, so the result is of no interest.
    let _ = first.deserialize(&mut serde_json::Deserializer::from_str(text));
    elements
}

struct FirstElements<'v, 'de, F> {
    wants_more: F,
    elements: &'v mut Vec<&'de RawValue>,
}

impl<'de, F: FnMut(&RawValue) -> bool> DeserializeSeed<'de> for FirstElements<'_, 'de, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&RawValue) -> bool> Visitor<'de> for FirstElements<'_, 'de, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while let Some(raw) = seq.next_element()? {
            self.elements.push(raw);
            if !(self.wants_more)(raw) {
                return Err(de::Error::custom("enough elements"));
            }
        }
        Ok(())
    }
}

/// Returns whether the JSON text of a raw value contains a string.
pub(super) fn mentions(raw: &RawValue, text: &str) -> bool {
    memmem::find(raw.get().as_bytes(), text.as_bytes()).is_some()
}

/// Returns whether a raw value is a string.
pub(super) fn is_string(raw: &RawValue) -> bool {
    raw.get().starts_with('"')
}

/// Returns whether a raw value is an array.
pub(super) fn is_array(raw: &RawValue) -> bool {
    raw.get().starts_with('[')
}

/// Returns whether a raw value is an object.
pub(super) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// Parses a raw value. One that nests too deeply becomes a string with its JSON text.
pub(super) fn value(raw: &RawValue) -> Json {
    parse(raw).unwrap_or_else(|| Json::String(raw.get().to_owned()))
}

/// The arguments of a call: the text of a string, or any other value as JSON. Empty text if absent.
pub(super) fn arguments(raw: Option<&RawValue>) -> Arguments {
    let Some(raw) = raw else { return Arguments::Text("".into()) };
    match parse::<Json>(raw) {
        Some(Json::String(text)) => Arguments::Text(text.into()),
        Some(json) => Arguments::Json(json),
        None => Arguments::Text(raw.get().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_another_type_is_empty_and_the_other_fields_are_parsed() {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Probe<'a> {
            #[serde(borrow)]
            a: Str<'a>,
            b: Flag,
            c: Count,
            d: Text,
        }
        let text = r#"{"a":{"x":[1]},"b":"yes","c":-4,"d":[{}]}"#;
        let probe: Probe<'_> = serde_json::from_str(text).expect("reads");
        assert_eq!((probe.a.get(), probe.b.0, probe.c.0, probe.d.0), (None, false, None, None));
        let text = r#"{"a":7,"b":true,"c":4.0,"d":"w\n"}"#;
        let probe: Probe<'_> = serde_json::from_str(text).expect("reads");
        assert_eq!(
            (probe.a.get(), probe.b.0, probe.c.0, probe.d.0.as_deref()),
            (Some("7"), true, Some(4), Some("w\n"))
        );
    }

    #[test]
    fn the_first_elements_are_parsed_without_the_others() {
        let elements = first_elements("[1,2,3, broken", 2);
        assert_eq!(elements.iter().map(|raw| raw.get()).collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(first_elements("[1]", 5).len(), 1);
        assert!(first_elements("{}", 5).is_empty());
    }

    #[test]
    fn deeply_nested_arguments_are_kept_as_text() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let raw: &RawValue = serde_json::from_str(&deep).expect("raw values may nest");
        assert_eq!(arguments(Some(raw)), Arguments::Text(deep.as_str().into()));
    }
}
