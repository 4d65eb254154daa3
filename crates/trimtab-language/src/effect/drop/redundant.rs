//! `drop duplicates` and `drop superseded_reads`: remove calls all of whose results are redundant.

use std::collections::HashSet;
use std::ops::Range;

use trimtab_base::conversation::{Body, Conversation, Edit, Entry, Role};

use super::Drop;
use crate::effect::latest::LatestResults;
use crate::effect::selection::Selection;
use crate::effect::{EffectContext, EffectOutput, IdleReason, SearchProgress};

/// Whether a group can be removed.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Removable,
    /// Not now, but perhaps after a change that makes nothing redundant.
    NotYet,
    /// Not before another message of the group becomes redundant.
    Stays,
}

impl Drop {
    pub(super) fn redundant(&self, context: &EffectContext<'_>) -> EffectOutput {
        let earlier = self.selection.progress(context);
        let idle = |progress, idle_reason| EffectOutput::Edits {
            edits: Vec::new(),
            shortfall: 0,
            progress: self.selection.progress_to_keep(context, progress),
            idle_reason,
        };
        let (goal, boundary) = match self.selection.limits(context) {
            Ok(limits) => limits,
            Err(idle_reason) => return idle(earlier, idle_reason),
        };
        let entries = context.conversation.entries();
        let latest = self.selection.latest(context);
        let (mut removed, mut saved, mut first_unsettled, mut judged) = (Vec::new(), 0, None, HashSet::new());
        let left = |saved: u64| context.tokens.saturating_sub(saved);
        for candidate in self.selection.candidates(context, (earlier.scanned_prefix, earlier.seen), boundary) {
            if goal.is_some_and(|goal| left(saved) <= goal) {
                break;
            }
            let group = group(context.conversation, candidate.at);
            if !judged.insert(group.start) {
                continue;
            }
            match self.selection.judge(context, group.clone(), (boundary, &latest)) {
                Verdict::Stays => continue,
                Verdict::NotYet => {}
                Verdict::Removable => {
                    saved += entries[group.clone()].iter().map(Entry::tokens).sum::<u64>();
                    removed.extend(group.clone());
                }
            }
            first_unsettled.get_or_insert(group.start);
        }
        let progress = SearchProgress {
            scanned_prefix: first_unsettled.unwrap_or(boundary),
            seen: self.selection.seen(context),
            ..SearchProgress::default()
        };
        if removed.is_empty() {
            let skipped = context.explain.then(|| self.selection.skipped(context, boundary));
            let is_kept = boundary <= self.selection.first(context);
            return idle(progress, if is_kept { IdleReason::AllKept } else { IdleReason::NothingToReduce(skipped) });
        }
        if let Some(idle_reason) = self.selection.too_little(saved.into()) {
            return idle(progress, idle_reason);
        }
        removed.sort_unstable();
        let messages = removed.into_iter().map(|at| entries[at].id()).collect();
        let shortfall = goal.map_or(0, |goal| left(saved).saturating_sub(goal));
        EffectOutput::Edits {
            edits: vec![Edit::Remove { messages }],
            shortfall,
            progress: self.selection.progress_to_keep(context, progress),
            idle_reason: IdleReason::AllKept,
        }
    }
}

/// The messages of the group of a result, from its call to the last result that follows without a gap.
fn group(conversation: &Conversation, at: usize) -> Range<usize> {
    let entries = conversation.entries();
    let is_same = |entry: &&Entry| entry.group() == entries[at].group();
    let before = entries[..at].iter().rev().take_while(is_same).count();
    let after = entries[at..].iter().take_while(is_same).count();
    at - before..at + after
}

impl Selection {
    /// Whether a group may be removed: a reply without text, and the results of all its calls, each of which is redundant
    /// and selected.
    fn judge(
        &self,
        context: &EffectContext<'_>,
        group: Range<usize>,
        (boundary, latest): (usize, &LatestResults),
    ) -> Verdict {
        let entries = &context.conversation.entries()[group.clone()];
        let Some((reply, results)) = entries.split_first() else { return Verdict::Stays };
        let says_nothing = |body: &Body| match body {
            Body::Text(text) => text.trim().is_empty(),
            Body::Thinking { .. } | Body::ToolCall { .. } => true,
            _ => false,
        };
        let is_first =
            || context.conversation.entries()[..group.start].iter().all(|entry| entry.role() == Role::System);
        if reply.role() != Role::Assistant
            || !reply.message().parts.iter().all(|part| says_nothing(&part.body))
            || !results.iter().all(|result| self.selects(result, context))
            || (group.start + 1..group.end).any(|at| latest.has(at))
            || is_first()
        {
            return Verdict::Stays;
        }
        let mut verdict = Verdict::Removable;
        for at in group.start + 1..group.end {
            let Some(candidate) = self.candidates(context, (at, usize::MAX), at + 1).next() else {
                return Verdict::Stays;
            };
            let entry = &context.conversation.entries()[at];
            let is_protected = entry.parts().any(|(id, _)| context.conversation.is_protected(entry.id(), id));
            if !candidate.is_editable || is_protected {
                verdict = Verdict::NotYet;
            }
        }
        let thinks = reply.message().parts.iter().any(|part| matches!(part.body, Body::Thinking { .. }));
        let is_live = || thinks && group.start >= context.conversation.loop_start();
        let is_answered = results.len() == reply.message().calls().count();
        if !is_answered || group.end > boundary || is_live() { Verdict::NotYet } else { verdict }
    }

    /// Whether a result is of a selected tool, longer than `over`, and no error that is kept.
    fn selects(&self, entry: &Entry, context: &EffectContext<'_>) -> bool {
        entry.parts().all(|(id, part)| {
            self.filter.tools.selects(entry, &part.body)
                && self.filter.is_over(entry, id, &part.body, &**context.counter)
                && self.filter.errors.selects(&part.body)
        })
    }
}
