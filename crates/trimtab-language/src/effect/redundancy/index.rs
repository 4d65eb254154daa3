//! An index of redundant results that follows a conversation.

use std::collections::{BTreeMap, HashMap};

use trimtab_base::conversation::{Conversation, Level, Mark, MessageId};

use super::RedundantResult;

/// When a result makes older ones redundant.
pub(super) trait Relation {
    /// What the relation needs to know about a result.
    type Item;

    /// Reads the result at an index, or returns `None` if the relation does not apply to it.
    fn item(&mut self, conversation: &Conversation, at: usize) -> Option<Self::Item>;

    /// Removes and returns the results that a new one makes redundant.
    fn replaced_by(&mut self, item: &Self::Item) -> Vec<usize>;

    /// Adds a result that newer ones may make redundant.
    fn add(&mut self, at: usize, item: &Self::Item);

    /// Removes a result, if it is there.
    fn remove(&mut self, at: usize, item: &Self::Item);

    /// Whether older results are outdated by this one, so that its own content does not matter.
    fn outdates(item: &Self::Item) -> bool;
}

/// The redundant results of a conversation.
#[derive(Debug, Default)]
pub(super) struct Index<R: Relation> {
    mark: Option<Mark>,
    /// For each message its id and the item of its result.
    items: Vec<(MessageId, Option<R::Item>)>,
    /// For each redundant result the message that has made it redundant.
    newer: BTreeMap<usize, usize>,
    /// The pairs of `newer` as (newer, older), in the order of the newer messages.
    log: Vec<(usize, usize)>,
    relation: R,
}

impl<R: Relation> Index<R> {
    pub(super) const fn new(relation: R) -> Self {
        Self { mark: None, items: Vec::new(), newer: BTreeMap::new(), log: Vec::new(), relation }
    }

    pub(super) const fn relation(&self) -> &R {
        &self.relation
    }

    /// See [`super::RedundancyCache::results`].
    pub(super) fn results(
        &mut self,
        conversation: &Conversation,
        (from, seen): (usize, usize),
        end: usize,
    ) -> Vec<RedundantResult> {
        self.follow(conversation);
        let since = self.log.partition_point(|(newer, _)| *newer < seen);
        let mut found: Vec<usize> = self.log[since..].iter().map(|(_, older)| *older).filter(|at| *at < from).collect();
        found.sort_unstable();
        found.retain(|at| *at < end);
        if from < end {
            found.extend(self.newer.range(from..end).map(|(older, _)| *older));
        }
        let result = |at| RedundantResult { at, is_replaced: self.is_replaced(conversation, at) };
        found.into_iter().map(result).collect()
    }

    /// Whether the content of a result is still in the context, in a newer one, or is outdated.
    fn is_replaced(&self, conversation: &Conversation, at: usize) -> bool {
        let rank = |at: usize| {
            let part = conversation.entries().get(at).and_then(|entry| entry.message().parts.first());
            part.map_or((u8::MAX, 0), |part| match part.level {
                Level::Whole => (0, 0),
                Level::Trimmed { limit } => (1, u32::MAX - limit),
                Level::Masked | Level::Offloaded => (2, 0),
            })
        };
        let (own, mut older) = (rank(at), at);
        while let Some(&newer) = self.newer.get(&older) {
            let outdates = self.items.get(newer).and_then(|(_, item)| item.as_ref()).is_some_and(R::outdates);
            if outdates || rank(newer) <= own {
                return true;
            }
            older = newer;
        }
        false
    }

    /// Reads the messages that are new or have moved.
    fn follow(&mut self, conversation: &Conversation) {
        let unmoved = self.mark.as_ref().map_or(0, |mark| conversation.unmoved_since(mark));
        let mut moved = self.truncate(unmoved);
        for at in self.items.len()..conversation.entries().len() {
            let id = conversation.entries()[at].id();
            let item = moved.remove(&id).unwrap_or_else(|| self.relation.item(conversation, at));
            if let Some(item) = &item {
                for older in self.relation.replaced_by(item) {
                    self.newer.insert(older, at);
                    self.log.push((at, older));
                }
                self.relation.add(at, item);
            }
            self.items.push((id, item));
        }
        self.mark = Some(conversation.mark());
    }

    /// Forgets the messages from an index on, and returns their items.
    fn truncate(&mut self, length: usize) -> HashMap<MessageId, Option<R::Item>> {
        let mut restored = Vec::new();
        while let Some((_, older)) = self.log.pop_if(|(newer, _)| *newer >= length) {
            self.newer.remove(&older);
            restored.push(older);
        }
        let removed = self.items.split_off(length.min(self.items.len()));
        for (at, (_, item)) in removed.iter().enumerate() {
            if let Some(item) = item {
                self.relation.remove(length + at, item);
            }
        }
        for at in restored {
            if let Some((_, Some(item))) = self.items.get(at) {
                self.relation.add(at, item);
            }
        }
        removed.into_iter().collect()
    }
}
