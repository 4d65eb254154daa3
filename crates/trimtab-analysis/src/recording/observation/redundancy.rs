//! Results that newer messages made redundant.

use trimtab_base::conversation::{Conversation, Entry, Mark};
use trimtab_language::effect::{FileTools, Redundancy, RedundancyCache};

use super::RedundantResults;

/// Follows a conversation and counts each redundant result once.
#[derive(Default)]
pub(super) struct RedundancyTracker {
    pub(super) duplicates: RedundantResults,
    pub(super) superseded: RedundantResults,
    cache: RedundancyCache,
    mark: Option<Mark>,
    seen: usize,
}

impl RedundancyTracker {
    /// Counts what the messages since the previous call made redundant.
    pub(super) fn record(&mut self, conversation: &Conversation) {
        let entries = conversation.entries();
        let unmoved = self.mark.as_ref().map_or(0, |mark| conversation.unmoved_since(mark)).min(self.seen);
        let count = |redundancy: &Redundancy, sum: &mut RedundantResults| {
            for result in self.cache.results(conversation, redundancy, (entries.len(), unmoved), entries.len()) {
                let tokens = entries.get(result.at).map_or(0, Entry::tokens);
                *sum += RedundantResults { count: 1, tokens };
            }
        };
        count(&Redundancy::Duplicates, &mut self.duplicates);
        count(&Redundancy::SupersededReads(FileTools::default()), &mut self.superseded);
        (self.mark, self.seen) = (Some(conversation.mark()), entries.len());
    }
}
