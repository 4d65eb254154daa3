//! Objects, arrays and contents whose pieces are left unread.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::{Str, Take, Taking, value};

/// The fields of an object in order, their values unread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields<'a>(pub(in crate::rooms::transcript) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// The raw value of a field; `null` counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'a RawValue> {
        let (_, raw) = self.0.iter().find(|(name, _)| name == key)?;
        (raw.get() != "null").then_some(*raw)
    }

    /// The object as a value.
    pub(crate) fn value(self) -> Json {
        Json::Object(self.0.into_iter().map(|(key, raw)| (key.into_owned(), value(raw))).collect())
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
        while let Some((key, raw)) = map.next_entry::<Str<'de>, &'de RawValue>()? {
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

/// The elements of an array, unread; none of what is no array.
#[derive(Clone, Debug, Default)]
pub(crate) struct List<'a>(pub(in crate::rooms::transcript) Option<Vec<&'a RawValue>>);

impl<'de> Take<'de> for List<'de> {
    fn list<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        taken_list(seq).map(|list| Self(Some(list)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Taking::<List<'de>>(PhantomData))
    }
}

fn taken_list<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Vec<&'de RawValue>, A::Error> {
    let mut list = Vec::new();
    while let Some(raw) = seq.next_element()? {
        list.push(raw);
    }
    Ok(list)
}

/// The content of a message: a text, or pieces that are unread.
#[derive(Clone, Debug, Default)]
pub(crate) enum Content<'a> {
    /// Null, absent, or a bare number or flag.
    #[default]
    None,
    /// A string.
    Text(Arc<str>),
    /// An array.
    List(Vec<&'a RawValue>),
    /// An object where a text or an array was expected.
    Fields(Fields<'a>),
}

impl Content<'_> {
    /// Whether two contents were written alike.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a.iter().map(|raw| raw.get()).eq(b.iter().map(|raw| raw.get())),
            _ => false,
        }
    }
}

impl<'de> Take<'de> for Content<'de> {
    fn transient(text: &str) -> Self {
        Self::Text(text.into())
    }
    fn list<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        taken_list(seq).map(Self::List)
    }
    fn map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        FieldsVisitor.visit_map(map).map(Self::Fields)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Taking::<Content<'de>>(PhantomData))
    }
}
