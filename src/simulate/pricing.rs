//! Which recorded calls have a known price.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::basis::Basis;
use super::options::Options;
use crate::conversation::Role;
use crate::transcript::Transcript;

/// How the calls of a replay are priced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pricing {
    /// Whether all input is priced as uncached, for comparison.
    pub without_cache: bool,
    /// The calls.
    pub calls: usize,
    /// The number of calls whose price is unknown, by their model; none if no model is known.
    pub unpriced: BTreeMap<Option<SmolStr>, usize>,
}

impl Pricing {
    pub(super) fn of(transcript: &Transcript, basis: &Basis, options: &Options) -> Self {
        // A model that was chosen for the replay prices every call.
        let chosen = basis.agent.model.clone();
        let follows = chosen.is_some() && chosen == transcript.model;
        let replies = transcript.messages.iter().filter(|message| message.role == Role::Assistant);
        let written = replies.map(|reply| reply.model.as_ref());
        let all = written.chain(transcript.harness_calls.iter().map(|call| call.model.as_ref()));
        let mut pricing = Self { without_cache: options.without_cache, ..Self::default() };
        let (mut model, mut is_priced) = (chosen, basis.agent.prices.is_some());
        for other in all {
            if let Some(other) = other.filter(|other| follows && model.as_ref() != Some(*other)) {
                is_priced = basis.agent.models.find(other).is_some_and(|model| model.prices.is_some());
                model = Some(other.clone());
            }
            pricing.calls += 1;
            if !is_priced {
                *pricing.unpriced.entry(model.clone()).or_default() += 1;
            }
        }
        pricing
    }

    /// The number of calls whose price is unknown.
    pub fn unpriced_calls(&self) -> usize {
        self.unpriced.values().sum()
    }
}
