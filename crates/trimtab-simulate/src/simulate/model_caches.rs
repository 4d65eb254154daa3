//! The prompt caches of the models of a conversation: a model reads what it has seen itself.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::request_prefix::CommonPrefix;

/// How much of the conversation each model has seen.
#[derive(Debug, Default)]
pub(super) struct ModelCaches {
    /// The model of the previous call.
    last: Option<SmolStr>,
    /// For each model the tokens at the start of the next request that were in its last one.
    seen: BTreeMap<SmolStr, u64>,
}

impl ModelCaches {
    /// Records a call and returns the most tokens that it can read. The call after one of the same model is limited by
    /// nothing else than what the requests have in common.
    pub(super) fn call(&mut self, model: Option<&SmolStr>, prefix: &CommonPrefix, context: u64) -> u64 {
        let Some(model) = model else { return u64::MAX };
        if let Some(common) = prefix.tokens.filter(|_| !prefix.is_whole) {
            self.seen.values_mut().for_each(|seen| *seen = common.min(*seen));
        }
        let is_same = self.last.as_ref().is_none_or(|last| last == model);
        let seen = self.seen.insert(model.clone(), context).unwrap_or(0);
        self.last = Some(model.clone());
        if is_same { u64::MAX } else { seen }
    }
}
