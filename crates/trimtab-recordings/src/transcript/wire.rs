//! Lenient JSON types for the records of all formats: a field of an unexpected type is left empty, and its record still
//! parses.
//!
//! The types borrow from the JSON text where they can, and values that may not be needed stay raw. Nothing here depends
//! on a recording format.
//!
//! A struct of borrowing fields needs `#[serde(borrow)]` on one of them only: it bounds the lifetime for the whole
//! struct.

mod index;
mod indexed;
mod json;
mod quotes;
mod raw;
mod unescape;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, MAX_TOKENS};

pub(super) use index::string_end;
pub(super) use indexed::{Index, Indexed};
pub(super) use json::{Elements, Raw};
pub(super) use raw::{Content, Fields, List};

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
    /// Converts a negative integer.
    fn from_negative(_: i64) -> Self {
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
    fn visit_i64<E>(self, number: i64) -> Result<T, E> {
        Ok(T::from_negative(number))
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

/// A number of tokens; `None` if there is none, and [`Self::INVALID`] for any value that is not a non-negative integer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TokenCount(pub(super) Option<u64>);

impl TokenCount {
    /// In place of -1, 0.5, `"12"` and the like. No provider can have counted it, so that it is removed and counted like
    /// other numbers that are not plausible.
    pub(super) const INVALID: Self = Self(Some(u64::MAX));

    /// The number of tokens that a value is.
    pub(super) fn of(json: &Json) -> Self {
        Self::deserialize(json).unwrap_or(Self::INVALID)
    }

    /// The sum with another number; invalid if one of them is.
    pub(super) fn plus(self, other: Self) -> Self {
        let is_plausible = self.is_plausible() && other.is_plausible();
        if is_plausible { Self(Some(self.or_zero() + other.or_zero())) } else { Self::INVALID }
    }

    /// The number, or 0.
    pub(super) fn or_zero(self) -> u64 {
        self.0.unwrap_or_default()
    }

    /// This number, or another one if there is none.
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    /// Whether there is no number, or one that can be right.
    pub(super) fn is_plausible(self) -> bool {
        self.or_zero() <= MAX_TOKENS
    }
}

impl<'de> FromAny<'de> for TokenCount {
    fn from_text(_: &str) -> Self {
        Self::INVALID
    }
    fn from_bool(_: bool) -> Self {
        Self::INVALID
    }
    fn from_number(float: f64, whole: Option<u64>) -> Self {
        let whole = whole.or_else(|| Count::from_number(float, None).0.filter(|_| float.fract() == 0.0));
        whole.map_or(Self::INVALID, |tokens| Self(Some(tokens)))
    }
    fn from_negative(_: i64) -> Self {
        Self::INVALID
    }
    fn from_array<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        Count::from_array(seq).map(|_| Self::INVALID)
    }
    fn from_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Count::from_object(map).map(|_| Self::INVALID)
    }
}

impl<'de> Deserialize<'de> for TokenCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(AnyVisitor(PhantomData))
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

/// Deserializes a struct from an object, and nothing from any other value. A record whose rare fields are boxed takes less memory.
pub(super) fn boxed<'de, T, D>(deserializer: D) -> Result<Option<Box<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(AnyVisitor::<Boxed<T>>(PhantomData)).map(|Boxed(value)| value)
}

struct Boxed<T>(Option<Box<T>>);

impl<T> Default for Boxed<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> FromAny<'de> for Boxed<T> {
    fn from_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| Self(Some(Box::new(value))))
    }
}

#[derive(Default)]
struct Struct<T>(T);

impl<'de, T: Deserialize<'de> + Default> FromAny<'de> for Struct<T> {
    fn from_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Self)
    }
}

/// Parses an optional raw value other than an array.
pub(super) fn parse_or_default<'a, T: Deserialize<'a> + Default>(raw: Option<Raw<'a>>) -> T {
    raw.filter(|raw| !raw.is_array()).and_then(Raw::parse).unwrap_or_default()
}

/// Parses optional message content.
pub(super) fn parse_content(raw: Option<Raw<'_>>) -> Content<'_> {
    raw.and_then(Raw::parse).unwrap_or_default()
}

/// The arguments of a call: the text of a string, or any other value as JSON. Empty text if absent.
pub(super) fn arguments(raw: Option<Raw<'_>>) -> Arguments {
    let Some(raw) = raw else { return Arguments::Text("".into()) };
    if raw.is_string() {
        return Arguments::Text(raw.parse::<String>().unwrap_or_default().into());
    }
    raw.json().map_or_else(|| Arguments::Text(raw.get().into()), Arguments::from)
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
        let json = Indexed::of(text).expect("JSON");
        let probe: Probe<'_> = json.raw().parse().expect("reads");
        assert_eq!((probe.a.get(), probe.b.0, probe.c.0, probe.d.0), (None, false, None, None));
        let text = r#"{"a":7,"b":true,"c":4.0,"d":"w\n"}"#;
        let json = Indexed::of(text).expect("JSON");
        let probe: Probe<'_> = json.raw().parse().expect("reads");
        assert_eq!(
            (probe.a.get(), probe.b.0, probe.c.0, probe.d.0.as_deref()),
            (Some("7"), true, Some(4), Some("w\n"))
        );
    }

    #[test]
    fn deeply_nested_arguments_are_kept_as_text() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let json = Indexed::of(&deep).expect("values may nest");
        assert_eq!(arguments(Some(json.raw())), Arguments::Text(deep.as_str().into()));
    }
}
