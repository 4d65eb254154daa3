//! Values by their names, in an order that is kept.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json};

/// Values by name: a JSON object with these keys, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByName<T>(pub Vec<(String, T)>);

impl<N: ToString, T> FromIterator<(N, T)> for ByName<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(values: I) -> Self {
        Self(values.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
}

impl<T: Serialize> Serialize for ByName<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Map::<String, Json>::deserialize(deserializer)?.into_iter();
        let read = |(name, value)| serde_json::from_value(value).map(|value| (name, value)).map_err(D::Error::custom);
        values.map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for ByName<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ByName_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() })
    }
}

/// Says in the schema of values which names they all have, and describes each.
pub(in super::super) fn describe<'a>(schema: &mut Schema, names: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let value = schema.remove("additionalProperties").unwrap_or_default();
    let described = |(name, description): (&str, &str)| {
        let mut value = value.clone();
        value["description"] = description.into();
        (name.to_owned(), value)
    };
    let properties: Map<String, Json> = names.into_iter().map(described).collect();
    schema.insert("required".to_owned(), properties.keys().cloned().collect());
    schema.insert("properties".to_owned(), properties.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_order() {
        let values: ByName<u64> = [("b", 2), ("a", 1)].into_iter().collect();
        let text = serde_json::to_string(&values).expect("JSON");
        assert_eq!(text, r#"{"b":2,"a":1}"#);
        assert_eq!(serde_json::from_str::<ByName<u64>>(&text).expect("values"), values);
        assert!(serde_json::from_str::<ByName<u64>>(r#"{"b":"2"}"#).is_err());
    }
}
