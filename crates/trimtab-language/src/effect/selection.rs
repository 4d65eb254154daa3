//! The parts that an effect reduces, and the search for them.

use std::sync::Arc;

use trimtab_base::conversation::{Body, Edit, Entry, Level, Part, PartId};
use trimtab_base::quantity::{Quantity, Unit, share_of};

use super::counted::split_images;
use super::label::Handle;
use super::latest::{LatestResults, LatestTools};
use super::part_filter::PartFilter;
use super::reduction::{AT_LEAST, DOWN_TO};
use super::redundancy::RedundantResult;
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
    /// The tokens that must be saved for anything to be done. Without it a part is replaced whenever it becomes shorter,
    /// even if a counter finds more tokens in the new text.
    minimum_saving: Option<u64>,
}

/// The new content of a part, and how far the part is reduced by it.
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
    /// Whether a later search need not look at the same parts again unless they change.
    is_final: bool,
    /// The tokens by which the goal is missed.
    shortfall: u64,
}

impl Selection {
    pub(super) fn new(arguments: &Arguments, keep: &Handle<Quantity>, over: &Handle<Option<Quantity>>) -> Self {
        Self::with_tail(arguments, keep.get(arguments), over)
    }

    /// The selection with a tail that is given.
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

    /// The same selection for an effect that puts nothing in the place of a part.
    pub(super) fn removing(self) -> Self {
        Self { filter: Arc::new(PartFilter { removes: true, ..PartFilter::clone(&self.filter) }), ..self }
    }

    /// Searches the parts before the kept tail, oldest first, and reduces those that become shorter.
    /// `reduce` returns the new content of a part, or none when the part is not a target.
    pub(super) fn reduce(
        &self,
        context: &EffectContext<'_>,
        reduce: impl Fn(&Entry, PartId, &Part) -> Option<Reduced>,
    ) -> EffectOutput {
        let known = self.progress(context);
        let nothing = |progress, idle_reason| EffectOutput::Edits {
            edits: Vec::new(),
            shortfall: 0,
            progress: self.learned(context, progress),
            idle_reason,
        };
        let (goal, boundary) = match self.limits(context) {
            Ok(limits) => limits,
            Err(idle_reason) => {
                return nothing(SearchProgress { gated_prefix: 0, saving: 0, ..known }, idle_reason);
            }
        };
        // An earlier search saved less than `at_least`. It is continued where it ended, unless its saving reaches the goal.
        // Edits are collected only when the minimum is reached.
        let is_short = goal.is_none_or(|goal| left(context, known.saving) > goal);
        if is_short && known.gated_prefix > known.scanned_prefix && known.gated_prefix <= boundary {
            let before = (known.gated_prefix, known.gated_seen, known.saving);
            let more = self.search(context, goal, before, boundary, &reduce);
            let saving = known.saving + more.saved;
            if let Some(idle_reason) = self.too_little(saving + more.saved_in_tail) {
                let gated_prefix = if more.is_final { boundary } else { 0 };
                let gated_seen = if more.is_final { self.seen(context) } else { known.gated_seen };
                return nothing(SearchProgress { gated_prefix, saving, gated_seen, ..known }, idle_reason);
            }
        }
        let Search { edits, saved, saved_in_tail, scanned_prefix, is_final, shortfall } =
            self.search(context, goal, (known.scanned_prefix, known.seen, 0), boundary, &reduce);
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
            return nothing(progress, idle_reason);
        }
        let gated = SearchProgress { gated_prefix: boundary, saving: saved, gated_seen: progress.seen, ..progress };
        let gated = if is_final { gated } else { progress };
        if let Some(idle_reason) = self.too_little(saved + saved_in_tail) {
            return nothing(gated, idle_reason);
        }
        let progress = self.learned(context, progress);
        EffectOutput::Edits { edits, shortfall, progress, idle_reason: IdleReason::AllKept }
    }

    pub(super) fn too_little(&self, saved: i128) -> Option<IdleReason> {
        let wanted = self.minimum_saving.filter(|&wanted| saved < i128::from(wanted))?;
        Some(IdleReason::TooLittle { saved: u64::try_from(saved).unwrap_or(0), wanted })
    }

    /// Collects the edits of the messages from an index on until the context is down to the goal, at last those of older images in
    /// the first kept message. `seen` is the number of messages that an earlier search knew, `before` what those before the index
    /// save.
    fn search(
        &self,
        context: &EffectContext<'_>,
        goal: Option<u64>,
        (from, seen, before): (usize, usize, i128),
        end: usize,
        reduce: &impl Fn(&Entry, PartId, &Part) -> Option<Reduced>,
    ) -> Search {
        let (mut edits, mut saved, mut saved_in_tail, mut first_open, mut is_final) =
            (Vec::new(), 0i128, 0i128, None, true);
        let left = |saved: i128| left(context, before + saved);
        let (latest, errors) = (self.latest(context), self.filter.errors.takes_errors());
        let older = self.older_images(context, end);
        let in_tail = (older > 0).then_some(RedundantResult { at: end, is_replaced: true });
        'search: for RedundantResult { at, is_replaced } in self.messages(context, (from, seen), end).chain(in_tail) {
            if !is_replaced {
                first_open.get_or_insert(at);
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
                if goal.is_some_and(|goal| left(saved + saved_in_tail) <= goal) {
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
                // It may be reduced when another run begins.
                if self.filter.target == TargetKind::Images && context.conversation.is_of_request(at, &old.body) {
                    first_open.get_or_insert(at);
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
                    first_open.get_or_insert(at);
                }
            }
        }
        let shortfall = goal.map_or(0, |goal| left(saved + saved_in_tail).saturating_sub(goal));
        // When the tail moves, messages after `end` must be searched even if a later message has made them redundant before.
        let searched = if self.looks_back() { end } else { from.max(end) };
        Search { edits, saved, saved_in_tail, scanned_prefix: first_open.unwrap_or(searched), is_final, shortfall }
    }

    /// The messages to search, in order, up to the index `end`.
    pub(super) fn messages(
        &self,
        context: &EffectContext<'_>,
        place: (usize, usize),
        end: usize,
    ) -> Box<dyn Iterator<Item = RedundantResult>> {
        let messages = |place, end| self.filter.messages(context.conversation, context.redundancy, place, end);
        let released = self.latest.as_ref().map(|tools| context.latest.released(tools, context.conversation, place));
        let released = released.unwrap_or_default();
        if released.is_empty() {
            return messages(place, end);
        }
        let released = released.into_iter().filter(|at| *at < end);
        let mut all: Vec<RedundantResult> = released.flat_map(|at| messages((at, usize::MAX), at + 1)).collect();
        all.extend(messages(place, end));
        all.sort_unstable_by_key(|result| result.at);
        all.dedup_by_key(|result| result.at);
        Box::new(all.into_iter())
    }

    /// The newest results that stay.
    pub(super) fn latest(&self, context: &EffectContext<'_>) -> LatestResults {
        let latest = |tools| context.latest.newest_results(tools, context.conversation);
        self.latest.as_ref().map(latest).unwrap_or_default()
    }

    /// Whether a later message can change what a search has found.
    fn looks_back(&self) -> bool {
        self.filter.redundancy.is_some() || self.latest.is_some()
    }

    /// The number of messages that a search knows, if a later message can change what it has found.
    pub(super) fn seen(&self, context: &EffectContext<'_>) -> usize {
        if self.looks_back() { context.conversation.entries().len() } else { 0 }
    }

    /// Counts the parts of the target before the kept tail that stay as they are, by reason; also older images in the first kept
    /// message.
    pub(super) fn skipped(&self, context: &EffectContext<'_>, boundary: usize) -> SkippedParts {
        let EffectContext { conversation, counter, redundancy, skipped, .. } = *context;
        let latest = self.latest(context);
        let count = |place| skipped.count(&self.filter, (conversation, &**counter), (redundancy, &latest), place);
        let before = count((self.first(context), boundary));
        match self.older_images(context, boundary) {
            0 => before,
            older => before + count((boundary, boundary + 1)).at_most(older),
        }
    }

    /// How many images of the first kept message the effect may change, because they are older than those that are kept.
    fn older_images(&self, context: &EffectContext<'_>, boundary: usize) -> usize {
        let is_sent = self.filter.target == TargetKind::Images && boundary >= self.first(context);
        if is_sent { self.keep.older_images(context) } else { 0 }
    }

    /// What earlier searches found out about messages that the request contains. Arrivals stop being arrivals once they
    /// are sent, so each search for them starts anew.
    pub(super) fn progress(&self, context: &EffectContext<'_>) -> SearchProgress {
        if self.filter.target == TargetKind::Arrivals || self.searches_part(context) {
            SearchProgress { scanned_prefix: self.first(context), seen: usize::MAX, ..SearchProgress::default() }
        } else {
            context.progress
        }
    }

    /// Whether a search from the stored progress would include messages that the request leaves out.
    fn searches_part(&self, context: &EffectContext<'_>) -> bool {
        let first = self.first(context);
        first > context.progress.scanned_prefix || first > 0 && self.looks_back()
    }

    /// What a search has found out, for the next one. A search of a part of the request says nothing about the messages
    /// before it.
    pub(super) fn learned(&self, context: &EffectContext<'_>, progress: SearchProgress) -> SearchProgress {
        if self.searches_part(context) { context.progress } else { progress }
    }

    /// The index of the first message that can be selected: one that the request contains, after the newest reply if only
    /// arrivals are selected.
    pub(super) fn first(&self, context: &EffectContext<'_>) -> usize {
        let sent = context.views.first_retained(context.conversation);
        if self.filter.target == TargetKind::Arrivals { sent.max(first_arrival(context)) } else { sent }
    }

    /// The goal in tokens, and the number of messages before the kept tail.
    ///
    /// # Errors
    /// The goal is reached, or one of them depends on an unknown window.
    pub(super) fn limits(&self, context: &EffectContext<'_>) -> Result<(Option<u64>, usize), IdleReason> {
        Ok((self.goal(context)?, self.boundary(context)?))
    }

    /// The number of messages before the kept tail. Reasoning of the open tool loop and messages of persons of the current run
    /// are kept too; since that loop closes and that run ends later, a search must not go beyond their start.
    fn boundary(&self, context: &EffectContext<'_>) -> Result<usize, IdleReason> {
        let boundary = self.keep.boundary(context)?;
        Ok(match self.filter.target {
            TargetKind::Thinking => boundary.min(context.conversation.loop_start()),
            TargetKind::UserMessages => boundary.min(context.conversation.first_of_run()),
            _ => boundary,
        })
    }

    /// The goal in tokens; the reason to do nothing when it is reached, or when it is a share of an unknown window.
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

/// What becomes of a part with images if only the first ones are reduced.
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
fn left(context: &EffectContext<'_>, saved: i128) -> u64 {
    u64::try_from((i128::from(context.tokens) - saved).max(0)).unwrap_or(u64::MAX)
}

/// The index of the first message after the newest reply: no request has contained what follows.
fn first_arrival(context: &EffectContext<'_>) -> usize {
    context.conversation.newest_reply_index().map_or(0, |reply| reply + 1)
}
