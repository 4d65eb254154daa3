//! Results of identical calls with identical content.

use std::hash::BuildHasher;

use foldhash::HashMap;
use foldhash::quality::RandomState;
use trimtab_base::conversation::{CallKinds, Conversation, ToolResult};

use super::index::Relation;

/// The newest result of each kind. Two results are of one kind if their calls are identical and their content is.
#[derive(Debug, Default)]
pub(super) struct Duplicates {
    calls: CallKinds,
    /// The call and the result of each kind.
    kinds: Vec<(usize, ToolResult)>,
    by_hash: HashMap<u64, Vec<usize>>,
    hashes: RandomState,
    newest: HashMap<usize, usize>,
}

impl Relation for Duplicates {
    type Item = usize;

    fn item(&mut self, conversation: &Conversation, at: usize) -> Option<usize> {
        let (tool, arguments) = conversation.answered(at)?;
        let call = self.calls.number(tool, arguments);
        let result = conversation.entries()[at].recorded().results().next()?;
        let hash = self.hashes.hash_one((call, &result.text, result.is_error));
        let kinds = &mut self.kinds;
        let same_hash = self.by_hash.entry(hash).or_default();
        let is_same = |kind: &usize| {
            let (other_call, other) = &kinds[*kind];
            *other_call == call
                && (&other.text, other.is_error, &other.attachments)
                    == (&result.text, result.is_error, &result.attachments)
        };
        Some(same_hash.iter().copied().find(is_same).unwrap_or_else(|| {
            same_hash.push(kinds.len());
            kinds.push((call, result.clone()));
            kinds.len() - 1
        }))
    }

    fn replaced_by(&mut self, kind: &usize) -> Vec<usize> {
        self.newest.remove(kind).into_iter().collect()
    }

    fn add(&mut self, at: usize, kind: &usize) {
        self.newest.insert(*kind, at);
    }

    fn remove(&mut self, at: usize, kind: &usize) {
        if self.newest.get(kind) == Some(&at) {
            self.newest.remove(kind);
        }
    }

    fn outdates(_: &usize) -> bool {
        false
    }
}
