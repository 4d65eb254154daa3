//! Chooses what a summary leaves out, so that it is complete at any length instead of being cut.

use trimtab_base::conversation::Counter;
use trimtab_language::effect::{SummaryRequest, summarised_entries, summary_counter};
use trimtab_model::model::TokenCounter;

use super::activity::Activity;
use super::failures::is_solved;
use super::outline::{Outline, Section};
use super::quote::{Extent, quote, quote_ends};

/// The most characters of text before the first heading: a summary by a model, of which this summariser cannot tell
/// what has become obsolete.
const MAX_PREFACE: usize = 2_000;

/// By how much quotations are shortened before items are left out. Half a quotation still says what it is about.
const DIVISORS: [usize; 3] = [1, 2, 4];
/// Quotations are not shortened below this number of characters: the first line of an error and what failed.
const MIN_QUOTATION: usize = 160;

/// The characters that effects put around a summary, and some that are to be saved.
const FRAME: usize = 250;
/// Up to this number of characters a summary may be longer than half of what it summarises.
const SHORT: usize = 1_500;

/// How long a summary may be.
pub(super) struct SizeLimit<'a> {
    counter: Option<&'a dyn Counter>,
    tokens: Option<u64>,
    chars: usize,
}

impl<'a> SizeLimit<'a> {
    /// At most what the request allows, and at most half of what is summarised besides earlier summaries, because an
    /// effect rejects a summary that is not shorter than what it replaces. For short conversations more than half.
    pub(super) fn new(request: &'a SummaryRequest, activity: &Activity) -> Self {
        let earlier = request.previous.iter().chain(&activity.earlier_summaries);
        let earlier: usize = earlier.map(|text| text.chars().count()).sum();
        let new = if summarised_entries(&request.messages).is_empty() {
            request.transcript.chars().count()
        } else {
            activity.chars
        };
        Self {
            counter: summary_counter(&request.messages),
            tokens: request.at_most,
            chars: earlier + (new / 2).max(new.saturating_sub(FRAME).min(SHORT)),
        }
    }

    fn allows_chars(&self, text: &str) -> bool {
        text.chars().count() <= self.chars
    }

    fn allows_tokens(&self, text: &str) -> bool {
        let tokens = || self.counter.map_or_else(|| TokenCounter::default().text(text), |counter| counter.text(text));
        self.tokens.is_none_or(|most| tokens() <= most)
    }
}

/// The text of a summary. It is within the limit of tokens if the headings alone are.
///
/// A summary that is too long for the conversation is rejected, and one that says nothing is not. So the most important
/// items are not left out to be shorter than the conversation.
pub(super) fn fit(outline: &Outline, limit: &SizeLimit<'_>) -> String {
    let order = by_importance(outline);
    let essential = order.iter().filter(|(rank, ..)| *rank == 0).count();
    let mut shortest = Outline::default();
    for divisor in DIVISORS {
        shortest = shortened(outline, divisor);
        let select = |count: usize| selection(&shortest, &order[..count]).render();
        let allows = |text: &str| limit.allows_chars(text) && limit.allows_tokens(text);
        let whole = select(order.len());
        if allows(&whole) {
            return whole;
        }
        let fits = largest(order.len(), |count| allows(&select(count)));
        if fits >= essential {
            return select(fits);
        }
    }
    let select = |count: usize| selection(&shortest, &order[..count]).render();
    let essentials = select(essential);
    if limit.allows_tokens(&essentials) {
        return essentials;
    }
    select(largest(essential, |count| limit.allows_tokens(&select(count))))
}

/// The largest number below `rejected` that is allowed, or 0, if each number below an allowed one is allowed too.
fn largest(mut rejected: usize, allows: impl Fn(usize) -> bool) -> usize {
    let mut allowed = 0;
    while allowed + 1 < rejected {
        let middle = allowed.midpoint(rejected);
        *(if allows(middle) { &mut allowed } else { &mut rejected }) = middle;
    }
    allowed
}

/// An item by its rank, section and index; without a section, the text before the first heading.
type Ranked = (usize, Option<Section>, usize);

/// The items, the most important first: in turn the first of each section, then the second, and so on. The sections
/// without which an agent cannot go on come first, and items that are short come in groups.
fn by_importance(outline: &Outline) -> Vec<Ranked> {
    let mut order = Vec::new();
    if !outline.preface.is_empty() {
        order.push((0, None, 0));
    }
    let sections = [
        (Section::Goal, 1),
        (Section::State, 1),
        (Section::Next, 2),
        (Section::Errors, 1),
        (Section::Files, 4),
        (Section::Completed, 2),
        (Section::Decisions, 1),
    ];
    for (section, group) in sections {
        let items = &outline[section];
        let mut indices: Vec<usize> = match section {
            // The steps are in the order of their urgency.
            Section::Next => (0..items.len()).collect(),
            _ => (0..items.len()).rev().collect(),
        };
        match section {
            // The oldest request, then the newest.
            Section::Goal => indices.rotate_right(1.min(items.len())),
            Section::State => indices.reverse(),
            Section::Errors => indices.sort_by_key(|&at| is_solved(&items[at])),
            _ => {}
        }
        order.extend(indices.into_iter().enumerate().map(|(place, at)| (place / group, Some(section), at)));
    }
    order.sort_by_key(|(rank, ..)| *rank);
    order
}

/// All items with their quotations shortened.
fn shortened(outline: &Outline, divisor: usize) -> Outline {
    let extent = |chars: usize| Extent { lines: usize::MAX, chars };
    let mut shortened = Outline::default();
    shortened.preface = quote_ends(&outline.preface, extent(MAX_PREFACE / divisor));
    for section in Section::ALL {
        let most = longest(section);
        let chars = match section {
            // A path that is cut is no path.
            Section::Files => most,
            _ => (most / divisor).max(MIN_QUOTATION),
        };
        shortened[section] = outline[section].iter().map(|item| quote(item, extent(chars))).collect();
    }
    shortened
}

/// The chosen items in their order.
fn selection(outline: &Outline, chosen: &[Ranked]) -> Outline {
    let mut selected = Outline::default();
    if chosen.contains(&(0, None, 0)) {
        selected.preface.clone_from(&outline.preface);
    }
    for section in Section::ALL {
        let mut indices: Vec<usize> =
            chosen.iter().filter(|(_, of, _)| *of == Some(section)).map(|(.., at)| *at).collect();
        indices.sort_unstable();
        selected[section] = indices.into_iter().map(|at| outline[section][at].clone()).collect();
    }
    selected
}

/// The longest item of a section in characters. It also bounds what is kept of a foreign summary.
const fn longest(section: Section) -> usize {
    match section {
        Section::Goal => 1_010,
        Section::State => 610,
        Section::Files => 700,
        Section::Completed | Section::Decisions | Section::Errors | Section::Next => 500,
    }
}
