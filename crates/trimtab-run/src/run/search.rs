//! How far effects have searched a conversation: a cache, which changes no result.

use std::sync::Arc;

use foldhash::HashMap;
use trimtab_base::conversation::{Conversation, Mark};
use trimtab_base::source::Span;
use trimtab_language::check::Action;
use trimtab_language::effect::{Operation, SearchProgress, Texts};

/// How many searches are kept for one action: one for each length of its texts, which change when a number in them
/// gets another digit.
const MAX_SEARCHES: usize = 16;

/// The last searches of each action.
#[derive(Clone, Debug, Default)]
pub(super) struct Searches(HashMap<Span, Vec<Search>>);

/// A search of a conversation as it was at a mark.
#[derive(Clone, Debug)]
struct Search {
    operation: Arc<dyn Operation>,
    texts: Texts,
    mark: Mark,
    progress: SearchProgress,
}

impl Search {
    /// The part of its progress that is still valid for an action with these texts.
    fn valid_for(&self, action: &Action, texts: &Texts, conversation: &Conversation) -> SearchProgress {
        // A longer text does not shorten a part that a shorter text did not shorten.
        if !Arc::ptr_eq(&self.operation, action.operation()) || !texts.are_as_long_as(&self.texts) {
            return SearchProgress::default();
        }
        let unchanged = conversation.unchanged_since(&self.mark);
        let scanned_prefix = self.progress.scanned_prefix.min(unchanged);
        if self.progress.below_minimum_prefix.max(self.progress.seen).max(self.progress.below_minimum_seen) <= unchanged
            && self.texts == *texts
        {
            return SearchProgress { scanned_prefix, ..self.progress };
        }
        let seen = self.progress.seen.min(conversation.unmoved_since(&self.mark));
        SearchProgress { scanned_prefix, seen, ..SearchProgress::default() }
    }
}

impl Searches {
    /// How far earlier searches of an action got through messages that have not changed since then.
    pub(super) fn progress(&self, action: &Action, texts: &Texts, conversation: &Conversation) -> SearchProgress {
        let all = self.0.get(&action.span).into_iter().flatten();
        let valid = all.map(|search| search.valid_for(action, texts, conversation));
        valid.max_by_key(|progress| (progress.scanned_prefix, progress.below_minimum_prefix)).unwrap_or_default()
    }

    /// Records how far an action has searched; `mark` is the state of the conversation before its edits.
    pub(super) fn record(&mut self, action: &Action, texts: Texts, mark: Mark, progress: SearchProgress) {
        let all = self.0.entry(action.span).or_default();
        let is_same = |search: &Search| {
            Arc::ptr_eq(&search.operation, action.operation())
                && texts.are_as_long_as(&search.texts)
                && search.texts.are_as_long_as(&texts)
        };
        all.retain(|search| !is_same(search));
        if progress != SearchProgress::default() {
            if all.len() == MAX_SEARCHES {
                all.remove(0);
            }
            all.push(Search { operation: Arc::clone(action.operation()), texts, mark, progress });
        }
    }
}
