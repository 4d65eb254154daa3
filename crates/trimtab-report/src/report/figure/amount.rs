//! Amounts of US dollars and shares, as JSON numbers of so many places.

use std::borrow::Cow;

use rust_decimal::prelude::FromPrimitive;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use trimtab_base::quantity::Decimal;

use super::{Sum, rounded};

/// The places of an amount in JSON.
const AMOUNT_PLACES: u32 = 6;
/// The places of a share in JSON.
const SHARE_PLACES: u32 = 4;

/// An amount in US dollars, a JSON number of six places; none if it is unknown. Sums are sums of rounded amounts, so that partial
/// results add up to what one run reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount(pub(in super::super) Option<Decimal>);

/// A share, a JSON number of four places; none if it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share(pub(in super::super) Option<Decimal>);

impl Amount {
    /// Returns the amount in US dollars, or `None` if it is unknown.
    pub fn dollars(self) -> Option<f64> {
        self.0.map(|amount| rounded(amount, AMOUNT_PLACES))
    }

    /// The amount with the places of JSON, as sums add it.
    pub(in super::super) fn rounded(self) -> Self {
        Self(self.0.map(|amount| amount.round_dp(AMOUNT_PLACES)))
    }

    /// The sum of two known amounts.
    pub(in super::super) fn plus(self, other: Self) -> Self {
        Self(self.0.zip(other.0).map(|(a, b)| a.checked_add(b).unwrap_or(Decimal::MAX)))
    }

    /// The difference between two known amounts.
    pub(in super::super) fn less(self, other: Self) -> Self {
        Self(self.0.zip(other.0).and_then(|(a, b)| a.checked_sub(b)))
    }
}

impl Share {
    /// Returns the share, mostly from 0 to 1, or `None` if it is unknown.
    pub fn value(self) -> Option<f64> {
        self.0.map(|share| rounded(share, SHARE_PLACES))
    }
}

impl From<Decimal> for Amount {
    fn from(amount: Decimal) -> Self {
        Self(Some(amount))
    }
}

impl From<Option<Decimal>> for Amount {
    fn from(amount: Option<Decimal>) -> Self {
        Self(amount)
    }
}

impl From<Option<Decimal>> for Share {
    fn from(share: Option<Decimal>) -> Self {
        Self(share)
    }
}

/// What is unknown adds nothing.
impl Sum for Amount {
    fn add(&mut self, other: &Self) {
        let sum = |a: Decimal, b| a.checked_add(b).unwrap_or(Decimal::MAX);
        self.0 = self.0.into_iter().chain(other.rounded().0).reduce(sum);
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.dollars().serialize(serializer)
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, AMOUNT_PLACES).map(Self)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, SHARE_PLACES).map(Self)
    }
}

fn read<'de, D: Deserializer<'de>>(deserializer: D, places: u32) -> Result<Option<Decimal>, D::Error> {
    let Some(number) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    let number = Decimal::from_f64(number).ok_or_else(|| D::Error::custom("the number is too large"))?;
    Ok(Some(number.round_dp(places)))
}

impl JsonSchema for Amount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "null"],
            "description": "US dollars of what has a known price; null if nothing has",
        })
    }
}

impl JsonSchema for Share {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "null"], "description": "A share; null if it is unknown" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_leave_out_what_is_unknown() {
        let mut sum = Amount::default();
        assert_eq!(serde_json::json!(sum), serde_json::Value::Null);
        for amount in [None, Some(Decimal::ONE), None, Some(Decimal::TWO)] {
            sum.add(&Amount(amount));
        }
        assert_eq!(serde_json::json!(sum), 3.0);
    }

    #[test]
    fn an_amount_is_read_as_it_was_written() {
        let amount = Amount("0.1234567".parse().ok());
        let json = serde_json::json!(amount);
        assert_eq!(json, 0.123_457);
        let read: Amount = serde_json::from_value(json).expect("an amount");
        assert_eq!(read.dollars(), amount.dollars());
    }
}
