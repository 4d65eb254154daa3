//! Objects, arrays and message content whose values stay raw JSON.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::{AnyVisitor, FromAny, Raw, Str, TokenCount};

/// The fields of an object in order, with raw values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields<'a>(pub(in crate::transcript) Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Fields<'a> {
    /// The raw value of a field; `None` for `null`.
    pub(crate) fn get(&self, key: &str) -> Option<Raw<'a>> {
        let (_, raw) = self.0.iter().find(|(name, _)| name == key)?;
        (!raw.is_null()).then_some(*raw)
    }

    /// The number of tokens in a field.
    pub(crate) fn tokens(&self, key: &str) -> TokenCount {
        let raw = self.0.iter().find(|(name, _)| name == key).map(|(_, raw)| *raw);
        raw.and_then(Raw::parse).unwrap_or_default()
    }

    /// Parses the whole object.
    pub(crate) fn value(self) -> Json {
        Json::Object(self.0.into_iter().map(|(key, raw)| (key.into_owned(), raw.value())).collect())
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some((key, raw)) = map.next_entry::<Str<'de>, Raw<'de>>()? {
            fields.push((key.0.unwrap_or_default(), raw));
        }
        Ok(Fields(fields))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// The raw elements of an array; `None` for any other value.
#[derive(Clone, Debug, Default)]
pub(crate) struct List<'a>(pub(in crate::transcript) Option<Vec<Raw<'a>>>);

impl<'de> FromAny<'de> for List<'de> {
    fn from_array<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        raw_elements(seq).map(|list| Self(Some(list)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::<List<'de>>(PhantomData))
    }
}

fn raw_elements<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Vec<Raw<'de>>, A::Error> {
    // A list that grows would take up to three times as much.
    let mut list = Vec::with_capacity(seq.size_hint().unwrap_or_default());
    while let Some(raw) = seq.next_element()? {
        list.push(raw);
    }
    Ok(list)
}

/// The content of a message: a text, or raw pieces.
#[derive(Clone, Debug, Default)]
pub(crate) enum Content<'a> {
    /// Absent, null, a number or a boolean.
    #[default]
    None,
    /// A string.
    Text(Arc<str>),
    /// An array.
    List(Vec<Raw<'a>>),
    /// An object in place of a string or an array.
    Fields(Fields<'a>),
}

impl Content<'_> {
    /// Returns whether two contents have the same JSON text. Objects always differ.
    pub(crate) fn is_same_text(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a.iter().map(|raw| raw.get()).eq(b.iter().map(|raw| raw.get())),
            _ => false,
        }
    }
}

impl<'de> FromAny<'de> for Content<'de> {
    fn from_text(text: &str) -> Self {
        Self::Text(text.into())
    }
    fn from_array<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        raw_elements(seq).map(Self::List)
    }
    fn from_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        FieldsVisitor.visit_map(map).map(Self::Fields)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::<Content<'de>>(PhantomData))
    }
}
