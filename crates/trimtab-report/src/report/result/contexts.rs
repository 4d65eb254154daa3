//! The sizes of the contexts of calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_simulate::simulate::Series;

use crate::report::figure::{Share, Sum, number};

/// The contexts of some calls, in tokens.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Contexts {
    /// The largest.
    pub peak_tokens: u64,
    /// The mean.
    pub mean_tokens: u64,
    /// The number of calls.
    pub calls: u64,
    /// The sum.
    pub tokens_sent: u64,
}

/// The contexts of some calls of one transcript.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TranscriptContexts {
    /// Their sizes.
    #[serde(flatten)]
    pub contexts: Contexts,
    /// The largest share of the window; null if the window is unknown.
    pub peak_ratio: Share,
    /// The mean share of the window; null if the window is unknown.
    pub mean_ratio: Share,
}

impl From<Series> for Contexts {
    fn from(series: Series) -> Self {
        Self {
            peak_tokens: series.peak,
            mean_tokens: series.mean,
            calls: number(series.calls),
            tokens_sent: u64::try_from(series.sum).unwrap_or(u64::MAX),
        }
    }
}

impl From<Series> for TranscriptContexts {
    fn from(series: Series) -> Self {
        let (peak, mean) = (series.peak_ratio.into(), series.mean_ratio.into());
        Self { contexts: series.into(), peak_ratio: peak, mean_ratio: mean }
    }
}

impl Sum for Contexts {
    fn add(&mut self, other: &Self) {
        self.peak_tokens = self.peak_tokens.max(other.peak_tokens);
        self.calls.add(&other.calls);
        self.tokens_sent.add(&other.tokens_sent);
        self.mean_tokens = self.tokens_sent / self.calls.max(1);
    }
}
