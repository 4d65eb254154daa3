//! `drop older`: removes whole groups before the kept tail, oldest first.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use trimtab_base::conversation::{Conversation, Edit, GroupId, PinnedMessages, Role};

use super::Drop;
use crate::effect::{EffectContext, EffectOutput, IdleReason, SearchProgress};

/// Groups that may be removed, oldest first.
struct Removal<'a> {
    conversation: &'a Conversation,
    /// The index of the first message that may be removed.
    start: usize,
    /// The groups, without messages of persons that are pinned with all that follow them. A removal leaves them where they are.
    groups: Vec<Vec<usize>>,
    /// The messages that stay because they are pinned.
    pinned: PinnedMessages,
    /// The first message that stays in any case, besides system messages and pinned ones.
    first_kept: usize,
}

/// The removal of some groups from the start.
#[derive(Clone, Copy)]
struct Prefix {
    groups: usize,
    /// A user message among them that stays, because the conversation would not begin with one.
    spared: Option<usize>,
    saved: u64,
}

impl Drop {
    pub(super) fn older(&self, context: &EffectContext<'_>) -> EffectOutput {
        let (goal, boundary) = match self.selection.limits(context) {
            Ok(limits) => limits,
            Err(idle_reason) => return EffectOutput::idle(idle_reason),
        };
        let Some(last) = boundary.checked_sub(1) else { return EffectOutput::idle(IdleReason::AllKept) };
        let first = self.selection.first(context);
        if last < first {
            return EffectOutput::idle(IdleReason::AllKept);
        }
        let bound = upper_bound(context, boundary);
        let idle_reason = self.selection.too_little(bound.below_minimum_saving).filter(|_| !context.explain);
        if let Some(idle_reason) = idle_reason {
            return EffectOutput::Edits { edits: Vec::new(), shortfall: 0, progress: bound, idle_reason };
        }
        let wanted = goal.map(|goal| context.tokens.saturating_sub(goal));
        let whole = Some(context.conversation).filter(|_| first == 0);
        let pinned = self.kept.with_users(context.conversation, context.latest);
        let saving =
            whole.and_then(|whole| context.removals.saving(whole, boundary, (self.kept.key(), &pinned), wanted));
        if let Some(idle_reason) = saving.and_then(|saved| self.selection.too_little(saved.into())) {
            return EffectOutput::Edits { edits: Vec::new(), shortfall: 0, progress: bound, idle_reason };
        }
        if saving == Some(0) {
            return EffectOutput::idle(IdleReason::NothingToReduce(None));
        }
        let removal = Removal::new(context.conversation, first..=last, pinned);
        let left = |prefix: &Prefix| context.tokens.saturating_sub(prefix.saved);
        let chosen = removal.choose(wanted);
        let saved = chosen.map_or(0, |prefix| prefix.saved);
        if let Some(idle_reason) = self.selection.too_little(saved.into()) {
            return EffectOutput::Edits { edits: Vec::new(), shortfall: 0, progress: bound, idle_reason };
        }
        let Some(prefix) = chosen.filter(|_| saved > 0) else {
            return EffectOutput::idle(IdleReason::NothingToReduce(None));
        };
        let shortfall = goal.map_or(0, |goal| left(&prefix).saturating_sub(goal));
        let edits = vec![removal.edit(prefix)];
        EffectOutput::Edits { edits, shortfall, progress: SearchProgress::default(), idle_reason: IdleReason::AllKept }
    }
}

impl<'a> Removal<'a> {
    /// What may be removed of the messages of a request, which begins with the first of these and what is always sent.
    /// Pinned messages are taken out of what is removed without them, so that a pin never removes more.
    fn new(conversation: &'a Conversation, range: RangeInclusive<usize>, pinned: PinnedMessages) -> Self {
        let (first_sent, end) = (*range.start(), conversation.whole_groups_before(*range.end() + 1));
        let start = first_sent.max(conversation.prompt_len());
        let people = pinned.of_newest_people();
        let removable = conversation.removable(range, &people);
        let entries = conversation.entries();
        // Groups are numbered in the order of their first messages, but a summary is newer than what follows it.
        let mut by_group: BTreeMap<GroupId, Vec<usize>> = BTreeMap::new();
        for &at in &removable {
            by_group.entry(entries[at].group()).or_default().push(at);
        }
        let mut groups: Vec<Vec<usize>> = by_group.into_values().collect();
        groups.sort_unstable();
        let stays = |at: &usize| removable.binary_search(at).is_err();
        let first_kept = conversation.unpinned_by_people(&(start..end), &people).into_iter().find(stays);
        let is_other = |at: &usize| entries[*at].role() != Role::System;
        let first_kept = first_kept.or_else(|| (end.max(start)..entries.len()).find(is_other)).unwrap_or(entries.len());
        let summary = conversation.summaries().first().filter(|at| **at < start);
        Self { conversation, start, groups, pinned, first_kept: summary.map_or(first_kept, |at| first_kept.min(*at)) }
    }

    /// The smallest removal that saves as many tokens as are wanted, or else the largest.
    fn choose(&self, wanted: Option<u64>) -> Option<Prefix> {
        let mut chosen = None;
        for prefix in self.prefixes() {
            chosen = Some(prefix);
            if wanted.is_some_and(|wanted| prefix.saved >= wanted) {
                break;
            }
        }
        chosen
    }

    /// The removals after which the conversation begins with a user message, from the smallest to the largest.
    fn prefixes(&self) -> impl Iterator<Item = Prefix> {
        let entries = self.conversation.entries();
        let (mut total, mut user) = (0, None);
        (0..self.groups.len()).filter_map(move |at| {
            let group = &self.groups[at];
            total += group.iter().map(|&at| self.tokens(at)).sum::<u64>();
            let first = group[0];
            if entries[first].role() == Role::User && first < self.first_kept {
                user = Some(first);
            }
            let next = self.groups.get(at + 1).map_or(self.first_kept, |next| self.first_kept.min(next[0]));
            let begins = entries.get(next).is_some_and(|entry| entry.role() == Role::User);
            let person = || self.conversation.person_before(next).filter(|at| *at >= self.start);
            let spared = if begins { None } else { Some(person().or(user)?) };
            let saved = total - spared.map_or(0, |at| self.tokens(at));
            Some(Prefix { groups: at + 1, spared, saved })
        })
    }

    /// The tokens that the removal of a message saves.
    fn tokens(&self, at: usize) -> u64 {
        if self.is_pinned(at) { 0 } else { self.conversation.entries()[at].tokens() }
    }

    fn is_pinned(&self, at: usize) -> bool {
        self.pinned.contains(self.conversation, at)
    }

    fn edit(&self, prefix: Prefix) -> Edit {
        let mut removed: Vec<usize> = self.groups[..prefix.groups].concat();
        removed.retain(|at| Some(*at) != prefix.spared && !self.is_pinned(*at));
        removed.sort_unstable();
        let entries = self.conversation.entries();
        Edit::Remove { messages: removed.into_iter().map(|at| entries[at].id()).collect() }
    }
}

/// An upper bound of what the removal of all messages between the system prompt and the kept tail saves: their size.
/// While it is less than `at_least`, nothing else is computed, so that a call does not take longer in a long
/// conversation.
fn upper_bound(context: &EffectContext<'_>, boundary: usize) -> SearchProgress {
    let earlier = context.progress;
    let earlier = if earlier.below_minimum_prefix <= boundary { earlier } else { SearchProgress::default() };
    let from = earlier.below_minimum_prefix.max(context.conversation.prompt_len()).min(boundary);
    let added = &context.conversation.entries()[from..boundary];
    let added: i128 = added.iter().map(|entry| i128::from(entry.tokens())).sum();
    let below_minimum_saving = earlier.below_minimum_saving + added;
    SearchProgress { below_minimum_prefix: boundary, below_minimum_saving, ..SearchProgress::default() }
}

/// What [`Drop::older`] would save of a whole conversation.
#[cfg(test)]
pub(super) fn saving(
    conversation: &Conversation,
    boundary: usize,
    pinned: &PinnedMessages,
    wanted: Option<u64>,
) -> u64 {
    let Some(last) = boundary.checked_sub(1) else { return 0 };
    let removal = Removal::new(conversation, 0..=last, pinned.clone());
    removal.choose(wanted).map_or(0, |prefix| prefix.saved)
}
