//! JSON taken as it comes: fields that hold something else than expected are left empty, not fatal.
//!
//! In: JSON text. Out: borrowed strings, flags, numbers and raw pieces. It knows no recording format.

mod piece;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use smol_str::SmolStr;

pub(super) use piece::{Content, Fields, List};

use crate::conversation::Arguments;

/// What a lenient field takes out of a JSON value; whatever it does not name leaves it at its default.
trait Take<'de>: Default {
    /// From a string without escapes.
    fn borrowed(text: &'de str) -> Self {
        Self::transient(text)
    }
    /// From any string.
    fn transient(_: &str) -> Self {
        Self::default()
    }
    /// From `true` or `false`.
    fn flag(_: bool) -> Self {
        Self::default()
    }
    /// From a number.
    fn number(_: f64, _: Option<u64>) -> Self {
        Self::default()
    }
    /// From an array.
    fn list<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    /// From an object.
    fn map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

struct Taking<T>(PhantomData<T>);

impl<'de, T: Take<'de>> Visitor<'de> for Taking<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::borrowed(text))
    }
    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::transient(text))
    }
    fn visit_bool<E>(self, flag: bool) -> Result<T, E> {
        Ok(T::flag(flag))
    }
    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok(T::number(0.0, Some(number)))
    }
    fn visit_i64<E>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_f64<E>(self, number: f64) -> Result<T, E> {
        Ok(T::number(number, None))
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::list(seq)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::map(map)
    }
}

/// A short string, borrowed where it has no escapes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Str<'a>(Option<Cow<'a, str>>);

impl<'a> Str<'a> {
    /// The string itself.
    pub(super) fn into_inner(self) -> Option<Cow<'a, str>> {
        self.0
    }

    /// The string, when there is one.
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The string, or an empty one.
    pub(super) fn word(&self) -> &str {
        self.get().unwrap_or_default()
    }

    /// The string as a name to keep.
    pub(super) fn name(&self) -> Option<SmolStr> {
        self.get().filter(|text| !text.is_empty()).map(SmolStr::new)
    }
}

impl<'de> Take<'de> for Str<'de> {
    fn borrowed(text: &'de str) -> Self {
        Self(Some(Cow::Borrowed(text)))
    }
    fn transient(text: &str) -> Self {
        Self(Some(Cow::Owned(text.to_owned())))
    }
    fn number(float: f64, whole: Option<u64>) -> Self {
        Self(Some(Cow::Owned(whole.map_or_else(|| float.to_string(), |number| number.to_string()))))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Taking::<Str<'de>>(PhantomData))
    }
}

/// A long text to keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Words(pub(super) Option<Arc<str>>);

impl Take<'_> for Words {
    fn transient(text: &str) -> Self {
        Self(Some(text.into()))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Taking(PhantomData))
    }
}

/// A flag; absent, null or anything else is `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flag(pub(super) bool);

impl Take<'_> for Flag {
    fn flag(flag: bool) -> Self {
        Self(flag)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Taking(PhantomData))
    }
}

/// A count; absent, null, negative or anything else is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Count(pub(super) Option<u64>);

impl Count {
    /// The count, or 0.
    pub(super) fn or_zero(self) -> u64 {
        self.0.unwrap_or_default()
    }
}

impl Take<'_> for Count {
    fn number(float: f64, whole: Option<u64>) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
        Self(whole.or_else(|| (0.0..9e15).contains(&float).then_some(float as u64)))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Taking(PhantomData))
    }
}

/// Reads a struct from an object, and its default from anything else.
pub(super) fn lenient<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(Taking::<Struct<T>>(PhantomData)).map(|read| read.0)
}

#[derive(Default)]
struct Struct<T>(T);

impl<'de, T: Deserialize<'de> + Default> Take<'de> for Struct<T> {
    fn map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Self)
    }
}

/// Reads a raw piece, or nothing when it has another shape.
pub(super) fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// Reads a struct from a piece that is an object.
pub(super) fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    if is_object(raw) { parse(raw) } else { None }
}

/// Reads a piece that may be absent.
pub(super) fn parse_or_default<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    raw.filter(|raw| !is_array(raw)).and_then(parse).unwrap_or_default()
}

/// Reads a content that may be absent.
pub(super) fn parse_content(raw: Option<&RawValue>) -> Content<'_> {
    raw.and_then(parse).unwrap_or_default()
}

/// The elements of an array; none when it is something else.
pub(super) fn elements(raw: &RawValue) -> Vec<&RawValue> {
    if is_array(raw) { parse(raw).unwrap_or_default() } else { Vec::new() }
}

/// The first elements of an array, at most `limit`, without reading the others.
pub(super) fn first_elements(text: &str, limit: usize) -> Vec<&RawValue> {
    let mut taken = Vec::new();
    // The reading ends with an error of its own making once there is enough, so its outcome says nothing.
    let _ended = First { limit, taken: &mut taken }.deserialize(&mut serde_json::Deserializer::from_str(text));
    taken
}

struct First<'v, 'de> {
    limit: usize,
    taken: &'v mut Vec<&'de RawValue>,
}

impl<'de> DeserializeSeed<'de> for First<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for First<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(raw) = seq.next_element()? {
            self.taken.push(raw);
            if self.taken.len() >= self.limit {
                return Err(de::Error::custom("enough"));
            }
        }
        Ok(())
    }
}

/// Whether the piece is a string.
pub(super) fn is_string(raw: &RawValue) -> bool {
    raw.get().starts_with('"')
}

/// Whether the piece is an array.
pub(super) fn is_array(raw: &RawValue) -> bool {
    raw.get().starts_with('[')
}

/// Whether the piece is an object.
pub(super) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// The piece as a value; one that the JSON reader refuses is kept as its text.
pub(super) fn value(raw: &RawValue) -> Json {
    parse(raw).unwrap_or_else(|| Json::String(raw.get().to_owned()))
}

/// The piece as arguments of a call: a string as it stands, anything else as a value.
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
    fn a_field_of_another_type_is_empty_and_its_neighbours_are_read() {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Probe<'a> {
            #[serde(borrow)]
            a: Str<'a>,
            b: Flag,
            c: Count,
            d: Words,
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
    fn the_first_elements_are_taken_without_the_rest() {
        let taken = first_elements("[1,2,3, broken", 2);
        assert_eq!(taken.iter().map(|raw| raw.get()).collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(first_elements("[1]", 5).len(), 1);
        assert!(first_elements("{}", 5).is_empty());
    }

    #[test]
    fn arguments_that_nest_too_deeply_are_kept_as_text() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let raw: &RawValue = serde_json::from_str(&deep).expect("raw values may nest");
        assert_eq!(arguments(Some(raw)), Arguments::Text(deep.as_str().into()));
    }
}
