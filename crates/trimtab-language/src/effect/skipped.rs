//! The parts that idle effects skip, counted by reason.
//!
//! The counts follow the conversation, so that the explanations of an idle effect in a long session examine each
//! message once and not at every call.

use std::ops::{Add, Sub};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;
use trimtab_base::conversation::{Conversation, Counter, Entry, Level, Mark};

use super::latest::LatestResults;
use super::part_filter::{Candidate, PartFilter};
use super::reduction::is_error;
use super::{RedundancyCache, SkippedParts, TargetKind};

/// The skipped parts of a session, for each selection of parts. A cache, which changes no result.
#[derive(Debug, Default)]
pub struct SkippedCache(Mutex<HashMap<Arc<PartFilter>, Counts>>);

impl Clone for SkippedCache {
    /// A copy starts empty: it belongs to another session.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SkippedCache {
    /// Counts the parts that a filter selects in some messages and that stay as they are, by reason.
    pub(super) fn count(
        &self,
        filter: &Arc<PartFilter>,
        (conversation, counter): (&Conversation, &dyn Counter),
        (redundancy, latest): (&RedundancyCache, &LatestResults),
        (first, end): (usize, usize),
    ) -> SkippedParts {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = all.entry(Arc::clone(filter)).or_default();
        counts.follow(filter, (conversation, counter), redundancy);
        let all = counts.sums.before(end) - counts.sums.before(first.min(end));
        let is_counted = |at: &usize| {
            let is_before = (first..end).contains(at);
            is_before && filter.candidates(conversation, redundancy, (*at, usize::MAX), at + 1).next().is_some()
        };
        // The request of the run and the newest results can change although their messages do not.
        let request = conversation.request();
        let others = latest.messages().filter(|at| Some(*at) != request);
        others.chain(request).filter(is_counted).fold(all, |all, at| {
            let of = |latest| skipped(filter, (conversation, counter), at, latest);
            all - of(None) + of(Some(latest))
        })
    }
}

/// The counts of one selection.
#[derive(Debug, Default)]
struct Counts {
    mark: Option<Mark>,
    sums: Sums,
}

impl Counts {
    /// Follows the changes of the conversation.
    fn follow(
        &mut self,
        filter: &PartFilter,
        (conversation, counter): (&Conversation, &dyn Counter),
        redundancy: &RedundancyCache,
    ) {
        let seen = self.sums.len();
        let mark = self.mark.as_ref();
        let (unchanged, unmoved) =
            mark.map_or((0, 0), |mark| (conversation.unchanged_since(mark), conversation.unmoved_since(mark)));
        // Messages that have moved may have made earlier ones redundant.
        let is_other = filter.redundancy.is_some() && unmoved < seen;
        self.sums.truncate(if is_other { 0 } else { unchanged });
        let (from, end) = (self.sums.len(), conversation.entries().len());
        let count = |at: usize| skipped(filter, (conversation, counter), at, None);
        for Candidate { at, .. } in filter.candidates(conversation, redundancy, (from, seen), end) {
            if let Some(more) = at.checked_sub(self.sums.len()) {
                (0..more).for_each(|_| self.sums.push(SkippedParts::default()));
                self.sums.push(count(at));
            } else {
                self.sums.add(at, count(at));
            }
        }
        (self.sums.len()..end).for_each(|_| self.sums.push(SkippedParts::default()));
        self.mark = Some(conversation.mark());
    }
}

/// Counts the skipped parts of one message. `latest` has the newest results that stay; if it is `None`, neither these
/// nor the request of the run are counted as such.
fn skipped(
    filter: &PartFilter,
    (conversation, counter): (&Conversation, &dyn Counter),
    at: usize,
    latest: Option<&LatestResults>,
) -> SkippedParts {
    let entry: &Entry = &conversation.entries()[at];
    let mut skipped = SkippedParts::default();
    for (id, part) in entry.parts().filter(|(_, part)| filter.target.contains(entry, &part.body)) {
        let belongs_to_request = || {
            filter.target == TargetKind::Images && latest.is_some() && conversation.belongs_to_request(at, &part.body)
        };
        let count = if latest.is_some_and(|latest| latest.contains(at, &part.body)) {
            &mut skipped.latest
        } else if !filter.tools.selects(entry, &part.body) {
            &mut skipped.tools
        } else if conversation.is_protected(entry.id(), id) {
            &mut skipped.protected
        } else if !filter.errors.selects(&part.body) {
            if is_error(&part.body) { &mut skipped.errors } else { &mut skipped.no_errors }
        } else if belongs_to_request() {
            &mut skipped.request
        } else if part.level == Level::Whole && !filter.is_over(entry, id, &part.body, counter) {
            &mut skipped.not_over
        } else if part.level == Level::Whole && filter.would_remove(&part.body) {
            &mut skipped.required
        } else if part.level == Level::Whole {
            &mut skipped.short
        } else {
            &mut skipped.reduced
        };
        *count += 1;
    }
    skipped
}

/// Counts for each message in a Fenwick tree: a count can be changed, and the sum of the first ones found, in logarithmic
/// time. The node of the message with number `n`, from 1, has the sum of the `n & n.wrapping_neg()` messages up to it.
#[derive(Debug, Default)]
struct Sums(Vec<SkippedParts>);

impl Sums {
    const fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets the messages from an index on. The nodes before it have sums of messages before it only.
    fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    fn push(&mut self, counts: SkippedParts) {
        let number = self.0.len() + 1;
        let first = number - lowest_bit(number);
        self.0.push(self.before(number - 1) - self.before(first) + counts);
    }

    /// Adds to the counts of the message at an index.
    fn add(&mut self, at: usize, counts: SkippedParts) {
        let mut number = at + 1;
        while let Some(sum) = self.0.get_mut(number - 1) {
            *sum = *sum + counts;
            number += lowest_bit(number);
        }
    }

    /// The sum of the messages before an index.
    fn before(&self, at: usize) -> SkippedParts {
        let (mut number, mut sum) = (at, SkippedParts::default());
        while number > 0 {
            sum = sum + self.0[number - 1];
            number -= lowest_bit(number);
        }
        sum
    }
}

const fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}

impl SkippedParts {
    fn zip(self, other: Self, combine: impl Fn(usize, usize) -> usize) -> Self {
        Self {
            reduced: combine(self.reduced, other.reduced),
            errors: combine(self.errors, other.errors),
            tools: combine(self.tools, other.tools),
            not_over: combine(self.not_over, other.not_over),
            short: combine(self.short, other.short),
            protected: combine(self.protected, other.protected),
            no_errors: combine(self.no_errors, other.no_errors),
            latest: combine(self.latest, other.latest),
            request: combine(self.request, other.request),
            required: combine(self.required, other.required),
        }
    }

    /// The counts, each limited to `most`.
    pub(super) fn at_most(self, most: usize) -> Self {
        self.zip(self, |number, _| number.min(most))
    }
}

impl Add for SkippedParts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, usize::add)
    }
}

impl Sub for SkippedParts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.zip(other, usize::sub)
    }
}

#[cfg(test)]
mod tests;
