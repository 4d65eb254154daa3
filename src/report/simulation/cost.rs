//! Costs in results, whose sums are sums of rounded costs.

use rust_decimal::prelude::FromPrimitive;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use super::money::number;
use crate::quantity::Decimal;

/// US dollars with six places; none if a price is unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost(pub(super) Option<Decimal>);

impl Default for Cost {
    fn default() -> Self {
        Self(Some(Decimal::ZERO))
    }
}

impl Cost {
    /// The sum is unknown if one of both is.
    pub(super) fn add(&mut self, other: Self) {
        let sum = |(one, other): (Decimal, Decimal)| one.checked_add(other).unwrap_or(Decimal::MAX);
        self.0 = self.0.zip(other.0).map(sum);
    }

    pub(super) fn json(self) -> Json {
        self.0.map_or(Json::Null, number)
    }
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(cost) = Option::<f64>::deserialize(deserializer)? else { return Ok(Self(None)) };
        let cost = Decimal::from_f64(cost).ok_or_else(|| D::Error::custom("the cost is too large"))?;
        Ok(Self(Some(cost.round_dp(6))))
    }
}
