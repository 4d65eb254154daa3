//! The parts that an effect reduces, and the search for them.

use std::sync::Arc;

use trimtab_base::conversation::{Body, Edit, Entry, Level, Part, PartId};
use trimtab_base::quantity::{Quantity, Unit, share_of};

use super::counted::split_images;
use super::label::Handle;
use super::latest::{LatestResults, LatestTools};
use super::part_filter::{Candidate, PartFilter};
use super::reduction::{AT_LEAST, DOWN_TO};
use super::tail::Tail;
use super::{Arguments, EffectContext, EffectOutput, IdleReason, SearchProgress, SkippedParts, TargetKind};

/// The parts that an effect reduces, as its arguments select them.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) filter: Arc<PartFilter>,
    keep: Tail,
    /// The tools whose newest result stays.
    latest: Option<Arc<LatestTools>>,
    goal: Option<Quantity>,
    /// The least saving in tokens for which the effect does anything. Without a minimum, a part is replaced whenever it
    /// becomes shorter, even if a counter finds more tokens in the new text.
    minimum_saving: Option<u64>,
}

/// The new content of a part, and the level of its reduction.
pub(super) struct Reduced {
    pub(super) body: Option<Body>,
    pub(super) level: Level,
}

/// The result of a search.
struct Search {
    edits: Vec<Edit>,
    /// The tokens that the edits of the messages before the kept tail save.
    saved: i128,
    /// The tokens that the edits of older images in the first kept message save.
    saved_in_tail: i128,
    scanned_prefix: usize,
    /// Whether a later search need not examine the same parts again unless they change.
    is_final: bool,
    /// The tokens by which the goal is missed.
    shortfall: u64,
}

impl Selection {
    pub(super) fn new(arguments: &Arguments, keep: &Handle<Quantity>, over: &Handle<Option<Quantity>>) -> Self {
        Self::with_tail(arguments, keep.get(arguments), over)
    }

    /// The selection with this kept tail.
    pub(super) fn with_tail(arguments: &Arguments, kept: Quantity, over: &Handle<Option<Quantity>>) -> Self {
        let filter = PartFilter::new(arguments, over.get(arguments));
        Self {
            keep: Tail::new(kept, Some(&filter)),
            filter: Arc::new(filter),
            latest: LatestTools::new(arguments),
            goal: DOWN_TO.get(arguments),
            minimum_saving: AT_LEAST.get(arguments),
        }
    }

    /// The same selection for an effect that removes parts without a replacement.
    pub(super) fn removing(self) -> Self {
        Self { filter: Arc::new(PartFilter { removes: true, ..PartFilter::clone(&self.filter) }), ..self }
    }

    /// Searches the parts before the kept tail, oldest first, and reduces those that become shorter.
    /// `reduce` returns the new content of a part, or `None` if the part is not a target.
    pub(super) fn reduce(
        &self,
        context: &EffectContext<'_>,
        reduce: impl Fn(&Entry, PartId, &Part) -> Option<Reduced>,
    ) -> EffectOutput {
        let earlier = self.progress(context);
        let idle = |progress, idle_reason| EffectOutput::Edits {
            edits: Vec::new(),
            shortfall: 0,
            progress: self.progress_to_keep(context, progress),
            idle_reason,
        };
        let (goal, boundary) = match self.limits(context) {
            Ok(limits) => limits,
            Err(idle_reason) => {
                let progress = SearchProgress { below_minimum_prefix: 0, below_minimum_saving: 0, ..earlier };
                return idle(progress, idle_reason);
            }
        };
        // If an earlier search saved less than `at_least`, continue where it ended, unless its saving reaches the goal.
        // Edits are collected only when the minimum is reached.
        let is_above_goal = goal.is_none_or(|goal| remaining_tokens(context, earlier.below_minimum_saving) > goal);
        let from = earlier.below_minimum_prefix;
        if is_above_goal && from > earlier.scanned_prefix && from <= boundary {
            let start = (from, earlier.below_minimum_seen, earlier.below_minimum_saving);
            let more = self.search(context, goal, start, boundary, &reduce);
            let below_minimum_saving = earlier.below_minimum_saving + more.saved;
            if let Some(idle_reason) = self.too_little(below_minimum_saving + more.saved_in_tail) {
                let (below_minimum_prefix, below_minimum_seen) =
                    if more.is_final { (boundary, self.seen(context)) } else { (0, earlier.below_minimum_seen) };
                let progress =
                    SearchProgress { below_minimum_prefix, below_minimum_saving, below_minimum_seen, ..earlier };
                return idle(progress, idle_reason);
            }
        }
        let Search { edits, saved, saved_in_tail, scanned_prefix, is_final, shortfall } =
            self.search(context, goal, (earlier.scanned_prefix, earlier.seen, 0), boundary, &reduce);
        let progress = SearchProgress { scanned_prefix, seen: self.seen(context), ..SearchProgress::default() };
        if edits.is_empty() {
            let skipped = || context.explain.then(|| self.skipped(context, boundary));
            let idle_reason = match self.filter.target {
                TargetKind::Arrivals if first_arrival(context) == boundary => IdleReason::NoArrivals,
                TargetKind::Arrivals => IdleReason::NoReducibleArrivals(skipped()),
                _ if boundary <= self.first(context) && self.older_images(context, boundary) == 0 => {
                    IdleReason::AllKept
                }
                _ => IdleReason::NothingToReduce(skipped()),
            };
            return idle(progress, idle_reason);
        }
        if let Some(idle_reason) = self.too_little(saved + saved_in_tail) {
            let below_minimum = SearchProgress {
                below_minimum_prefix: boundary,
                below_minimum_saving: saved,
                below_minimum_seen: progress.seen,
                ..progress
            };
            return idle(if is_final { below_minimum } else { progress }, idle_reason);
        }
        let progress = self.progress_to_keep(context, progress);
        EffectOutput::Edits { edits, shortfall, progress, idle_reason: IdleReason::AllKept }
    }

    pub(super) fn too_little(&self, saved: i128) -> Option<IdleReason> {
        let wanted = self.minimum_saving.filter(|&wanted| saved < i128::from(wanted))?;
        Some(IdleReason::TooLittle { saved: u64::try_from(saved).unwrap_or(0), wanted })
    }

    /// Collects the edits of the messages from the index `from` on until the context is down to the goal. Edits of
    /// older images in the first kept message come last. `seen` is the length of the conversation at an earlier search,
    /// and `saved_before` is what the edits before `from` save.
    fn search(
        &self,
        context: &EffectContext<'_>,
        goal: Option<u64>,
        (from, seen, saved_before): (usize, usize, i128),
        end: usize,
        reduce: &impl Fn(&Entry, PartId, &Part) -> Option<Reduced>,
    ) -> Search {
        let (mut edits, mut saved, mut saved_in_tail, mut first_unsettled, mut is_final) =
            (Vec::new(), 0i128, 0i128, None, true);
        let remaining_tokens = |saved: i128| remaining_tokens(context, saved_before + saved);
        let (latest, errors) = (self.latest(context), self.filter.errors.takes_errors());
        let older = self.older_images(context, end);
        let in_tail = (older > 0).then_some(Candidate { at: end, is_editable: true });
        let candidates = self.candidates(context, (from, seen), end).chain(in_tail);
        'search: for Candidate { at, is_editable } in candidates {
            if !is_editable {
                first_unsettled.get_or_insert(at);
                is_final = false;
                continue;
            }
            let entry = &context.conversation.entries()[at];
            let mut older = (at == end).then_some(older);
            for (part, old) in entry.parts() {
                let images = older.map(|older| self.keep.count_of(entry, &old.body).min(older));
                older = older.zip(images).map(|(older, images)| older - images);
                if images == Some(0) {
                    continue;
                }
                if goal.is_some_and(|goal| remaining_tokens(saved + saved_in_tail) <= goal) {
                    is_final = false;
                    break 'search;
                }
                if !self.filter.target.contains(entry, &old.body)
                    || latest.contains(at, &old.body)
                    || !self.filter.tools.selects(entry, &old.body)
                    || !self.filter.errors.selects(&old.body)
                    || !self.filter.is_over(entry, part, &old.body, &**context.counter)
                {
                    continue;
                }
                // It can be reduced when another run begins.
                if self.filter.target == TargetKind::Images && context.conversation.belongs_to_request(at, &old.body) {
                    first_unsettled.get_or_insert(at);
                    is_final = false;
                    continue;
                }
                let reduced = match images {
                    Some(images) => reduce_images(old, images, |old| reduce(entry, part, old)),
                    None => reduce(entry, part, old),
                };
                let Some(Reduced { body, level }) = reduced else { continue };
                // An edit that would be refused saves nothing.
                if context.conversation.may_reduce(at, part, body.as_ref(), level, errors) {
                    let after = body.as_ref().map_or(0, |body| context.counter.body(body));
                    let sum = if at == end { &mut saved_in_tail } else { &mut saved };
                    *sum += i128::from(entry.part_tokens(part, &**context.counter)) - i128::from(after);
                    edits.push(Edit::Reduce { message: entry.id(), part, body, level, errors });
                    first_unsettled.get_or_insert(at);
                }
            }
        }
        let shortfall = goal.map_or(0, |goal| remaining_tokens(saved + saved_in_tail).saturating_sub(goal));
        // When the tail moves, messages after `end` must be searched even if a later message has already made them
        // redundant.
        let searched = if self.depends_on_later_messages() { end } else { from.max(end) };
        let scanned_prefix = first_unsettled.unwrap_or(searched);
        Search { edits, saved, saved_in_tail, scanned_prefix, is_final, shortfall }
    }

    /// The messages to search, in order, up to the index `end`. `start` is the first index, and the length of the
    /// conversation at an earlier search.
    pub(super) fn candidates(
        &self,
        context: &EffectContext<'_>,
        start: (usize, usize),
        end: usize,
    ) -> Box<dyn Iterator<Item = Candidate>> {
        let candidates = |start, end| self.filter.candidates(context.conversation, context.redundancy, start, end);
        let released = self.latest.as_ref().map(|tools| context.latest.released(tools, context.conversation, start));
        let released = released.unwrap_or_default();
        if released.is_empty() {
            return candidates(start, end);
        }
        let released = released.into_iter().filter(|at| *at < end);
        let mut all: Vec<Candidate> = released.flat_map(|at| candidates((at, usize::MAX), at + 1)).collect();
        all.extend(candidates(start, end));
        all.sort_unstable_by_key(|candidate| candidate.at);
        all.dedup_by_key(|candidate| candidate.at);
        Box::new(all.into_iter())
    }

    /// The newest results of the tools in `keep_latest`, which stay.
    pub(super) fn latest(&self, context: &EffectContext<'_>) -> LatestResults {
        let latest = |tools| context.latest.newest_results(tools, context.conversation);
        self.latest.as_ref().map(latest).unwrap_or_default()
    }

    /// Whether the result of a search depends on messages after those that it searched.
    fn depends_on_later_messages(&self) -> bool {
        self.filter.redundancy.is_some() || self.latest.is_some()
    }

    /// The length of the conversation if the result of a search depends on later messages, otherwise 0.
    pub(super) fn seen(&self, context: &EffectContext<'_>) -> usize {
        if self.depends_on_later_messages() { context.conversation.entries().len() } else { 0 }
    }

    /// Counts the parts of the target that stay as they are, by reason: those before the kept tail and older images in
    /// the first kept message.
    pub(super) fn skipped(&self, context: &EffectContext<'_>, boundary: usize) -> SkippedParts {
        let EffectContext { conversation, counter, redundancy, skipped, .. } = *context;
        let latest = self.latest(context);
        let count = |range| skipped.count(&self.filter, (conversation, &**counter), (redundancy, &latest), range);
        let before = count((self.first(context), boundary));
        match self.older_images(context, boundary) {
            0 => before,
            older => before + count((boundary, boundary + 1)).at_most(older),
        }
    }

    /// How many images of the first kept message the effect may change, because they are older than those that are kept.
    fn older_images(&self, context: &EffectContext<'_>, boundary: usize) -> usize {
        let may_have_older_images = self.filter.target == TargetKind::Images && boundary >= self.first(context);
        if may_have_older_images { self.keep.older_images(context) } else { 0 }
    }

    /// How far earlier searches got. Arrivals stop being arrivals once they are sent, so each search for them starts
    /// anew, and so does one of a request that leaves out messages.
    pub(super) fn progress(&self, context: &EffectContext<'_>) -> SearchProgress {
        if self.filter.target == TargetKind::Arrivals || self.starts_after_progress(context) {
            SearchProgress { scanned_prefix: self.first(context), seen: usize::MAX, ..SearchProgress::default() }
        } else {
            context.progress
        }
    }

    /// Whether a search from the stored progress would include messages that the request leaves out.
    fn starts_after_progress(&self, context: &EffectContext<'_>) -> bool {
        let first = self.first(context);
        first > context.progress.scanned_prefix || first > 0 && self.depends_on_later_messages()
    }

    /// The progress to store for the next search. A search of only the end of the conversation says nothing about the
    /// messages before it, so the earlier progress stays.
    pub(super) fn progress_to_keep(&self, context: &EffectContext<'_>, progress: SearchProgress) -> SearchProgress {
        if self.starts_after_progress(context) { context.progress } else { progress }
    }

    /// The index of the first message that can be selected: one that the request contains, after the newest reply if only
    /// arrivals are selected.
    pub(super) fn first(&self, context: &EffectContext<'_>) -> usize {
        let first_sent = context.views.first_retained(context.conversation);
        if self.filter.target == TargetKind::Arrivals { first_sent.max(first_arrival(context)) } else { first_sent }
    }

    /// The goal in tokens, and the number of messages before the kept tail.
    ///
    /// # Errors
    /// The goal is reached, or the goal or the tail depends on an unknown window.
    pub(super) fn limits(&self, context: &EffectContext<'_>) -> Result<(Option<u64>, usize), IdleReason> {
        Ok((self.goal(context)?, self.boundary(context)?))
    }

    /// The number of messages before the kept tail. Reasoning of the open tool loop and messages of persons of the current run
    /// are kept too. A search ends before the loop or the run, because what it skips there can be reduced later.
    fn boundary(&self, context: &EffectContext<'_>) -> Result<usize, IdleReason> {
        let boundary = self.keep.boundary(context)?;
        Ok(match self.filter.target {
            TargetKind::Thinking => boundary.min(context.conversation.loop_start()),
            TargetKind::UserMessages => boundary.min(context.conversation.first_of_run()),
            _ => boundary,
        })
    }

    /// The goal in tokens.
    ///
    /// # Errors
    /// The goal is reached, or it is a share of an unknown window.
    fn goal(&self, context: &EffectContext<'_>) -> Result<Option<u64>, IdleReason> {
        let Some(quantity) = self.goal else { return Ok(None) };
        let goal = match quantity.unit {
            Unit::Share => share_of(context.window.ok_or(IdleReason::NoWindow)?, quantity.amount),
            _ => quantity.to_u64(),
        };
        let tokens = context.tokens;
        if tokens <= goal { Err(IdleReason::AtGoal { tokens, goal }) } else { Ok(Some(goal)) }
    }
}

/// Reduces only the first images of a part.
fn reduce_images(old: &Part, first: usize, reduce: impl Fn(&Part) -> Option<Reduced>) -> Option<Reduced> {
    let Body::ToolResult(result) = &old.body else { return reduce(old) };
    let (head, rest) = split_images(result, first);
    let mut reduced = reduce(&Part { body: Body::ToolResult(Box::new(head)), level: old.level })?;
    if let Some(Body::ToolResult(result)) = &mut reduced.body {
        result.attachments.extend(rest);
    }
    Some(reduced)
}

/// The text of a result, or of a part of a message.
pub(super) fn text_of(body: &Body) -> Option<&Arc<str>> {
    match body {
        Body::ToolResult(result) => Some(&result.text),
        Body::Text(text) => Some(text),
        _ => None,
    }
}

/// The tokens of the context after `saved` of them are saved.
fn remaining_tokens(context: &EffectContext<'_>, saved: i128) -> u64 {
    u64::try_from((i128::from(context.tokens) - saved).max(0)).unwrap_or(u64::MAX)
}

/// The index of the first message after the newest reply: no request has contained what follows.
fn first_arrival(context: &EffectContext<'_>) -> usize {
    context.conversation.newest_reply_index().map_or(0, |reply| reply + 1)
}
