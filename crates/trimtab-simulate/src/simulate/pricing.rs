//! Which recorded calls have a known price.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::conversation::Usage;
use trimtab_model::model::Prices;
use trimtab_recordings::transcript::Transcript;

use super::options::Options;
use super::replay_inputs::ReplayInputs;

/// How the calls of a replay are priced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pricing {
    /// Whether all input is priced as uncached, for comparison.
    pub without_cache: bool,
    /// The calls.
    pub calls: usize,
    /// The number of calls whose price is unknown, by their model, or `None` if no model is known.
    pub unpriced: BTreeMap<Option<SmolStr>, usize>,
    /// The family of the session's model, whose provider serves the calls, or `None` if it is unknown.
    pub family: Option<SmolStr>,
    /// The price of each call of the agent, if requested.
    pub per_call: Option<Vec<CallPrice>>,
}

/// The price of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallPrice {
    /// The prices of the model that wrote the reply, or `None` if they are unknown.
    pub prices: Option<Prices>,
    /// The recorded input in tokens.
    pub recorded: Option<u64>,
}

impl Pricing {
    pub(super) fn of(transcript: &Transcript, inputs: &ReplayInputs, options: &Options) -> Self {
        let replies = transcript.messages.iter().enumerate().filter(|(_, message)| message.is_reply());
        let replies = replies.map(|(at, reply)| {
            (at, reply.model.as_ref(), Some(reply), reply.usage.map(|usage| usage.service).unwrap_or_default())
        });
        let calls =
            transcript.harness_calls.iter().map(|call| (call.messages, call.model.as_ref(), None, call.usage.service));
        let mut all: Vec<_> = calls.chain(replies).collect();
        // The call of the harness before a message is billed before it.
        all.sort_by_key(|(at, ..)| *at);
        let model = inputs.agent.model.as_deref().and_then(|id| inputs.agent.models().find(id));
        let family = model.map(|model| model.family);
        let mut pricing = Self { without_cache: options.without_cache, family, ..Self::default() };
        let mut per_call = Vec::new();
        let choice = &inputs.agent.choice;
        let priced = |model: Option<SmolStr>| (model.as_deref().and_then(|id| choice.prices(id)), model);
        let mut time = None;
        let mut current = priced(inputs.agent.model.clone());
        for (_, other, reply, service) in all {
            // A model that was chosen for the replay prices every call.
            let other = other.filter(|other| choice.follows_replies && current.1.as_ref() != Some(*other));
            let own = other.map(|other| priced(Some(other.clone())));
            let (list, model) = own.clone().unwrap_or_else(|| current.clone());
            time = reply.and_then(|reply| reply.at.as_deref()).or(time);
            let prices = list.and_then(|list| list.of_call(time, service));
            if let Some(own) = own.filter(|_| reply.is_some()) {
                current = own;
            }
            pricing.calls += 1;
            if prices.is_none() {
                *pricing.unpriced.entry(model).or_default() += 1;
            }
            let recorded = |usage: Option<Usage>| usage.map(Usage::context).filter(|input| *input > 0);
            per_call.extend(reply.map(|reply| CallPrice { prices, recorded: recorded(reply.usage) }));
        }
        Self { per_call: options.per_call.then_some(per_call), ..pricing }
    }

    /// The number of calls whose price is unknown.
    pub fn unpriced_calls(&self) -> usize {
        self.unpriced.values().sum()
    }
}
