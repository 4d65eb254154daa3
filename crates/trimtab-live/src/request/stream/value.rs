//! JSON values that grow by what events add to them.

use serde_json::{Map, Value as Json};

use crate::request::provider_error;

/// Returns a field of an object, or `None` if it is missing or null.
pub(in crate::request) fn field<'v>(value: &'v Json, key: &str) -> Option<&'v Json> {
    value.get(key).filter(|value| !value.is_null())
}

pub(in crate::request) fn string<'v>(value: &'v Json, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// The index in a field, such as that of a block.
pub(in crate::request) fn index(value: &Json, key: &str) -> Option<u64> {
    value.get(key)?.as_u64()
}

/// The type of an event, a block or an item.
pub(in crate::request) fn kind(value: &Json) -> &str {
    string(value, "type").unwrap_or_default()
}

/// Adds a text at the end of a string field.
pub(in crate::request) fn append(object: &mut Map<String, Json>, key: &str, text: &str) {
    match object.get_mut(key) {
        Some(Json::String(old)) => old.push_str(text),
        _ => drop(object.insert(key.to_owned(), text.into())),
    }
}

/// Sets the fields of an object that another one has, except those that are null.
pub(in crate::request) fn merge(object: &mut Json, newer: &Json) {
    let (Some(object), Some(newer)) = (object.as_object_mut(), newer.as_object()) else { return };
    for (key, value) in newer.iter().filter(|(_, value)| !value.is_null()) {
        object.insert(key.clone(), value.clone());
    }
}

/// Returns the text of the error in a value, which may be empty, or `None` if the value reports no error.
pub(in crate::request) fn error(value: &Json) -> Option<String> {
    field(value, "error").map(|error| provider_error(error).unwrap_or_default().to_owned())
}
