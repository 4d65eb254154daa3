//! Why the prompt cache of recordings broke: the sums over all recordings, or a row for each break.

use smol_str::SmolStr;
use trimtab_analysis::recording::{BreakSum, CacheStatistics};
use trimtab_base::quantity::percent;
use trimtab_simulate::simulate::{CACHE_CAUSES, CacheCause, CacheReliability, RecordedBreak};

use super::amount::dollars;
use super::listing::{Column, Listing, Section};
use super::number::{count, plural, whole};
use super::partial_sum::PartialSum;
use super::replay_result::ReplayError;
use super::result::{BreaksResult, RecordedBreakResult, SCHEMA_VERSION};

/// The breaks of a transcript.
#[derive(Clone, Debug)]
pub struct NamedBreaks {
    /// The name of the transcript.
    pub id: String,
    /// Its breaks, in order.
    pub breaks: Vec<RecordedBreak>,
}

/// A row for each break, and the errors of files that could not be read.
pub fn cache_breaks(all: &[NamedBreaks], errors: &[ReplayError]) -> Listing {
    let columns = vec![
        Column::file("transcript"),
        Column::number("call"),
        Column::text("cause"),
        Column::number("seconds idle"),
        Column::number("tokens billed again"),
        Column::number("cost"),
    ];
    let rows = all.iter().flat_map(|one| one.breaks.iter().map(|found| break_row(&one.id, found))).collect();
    let breaks: Vec<RecordedBreakResult> =
        all.iter().flat_map(|one| one.breaks.iter().map(|found| RecordedBreakResult::of(&one.id, found))).collect();
    let notes = if breaks.is_empty() { vec!["No cache break was found".to_owned()] } else { Vec::new() };
    let result = BreaksResult { schema_version: SCHEMA_VERSION, breaks, errors: errors.to_vec() };
    Listing::new(vec![Section { columns, rows, notes, ..Section::default() }], &result, &result.breaks)
}

fn break_row(id: &str, found: &RecordedBreak) -> Vec<String> {
    let idle = found.idle.map_or_else(unknown, count);
    let cost = found.cost.map_or_else(unknown, dollars);
    vec![id.to_owned(), whole(found.call), found.cause.name().to_owned(), idle, count(found.tokens), cost]
}

/// A cell whose figure is unknown.
pub(super) fn unknown() -> String {
    "-".to_owned()
}

/// Returns the breaks by cause, or `None` if nothing broke and nothing could have.
pub(super) fn section(all: &CacheStatistics) -> Option<Section> {
    if all.due.calls == 0 {
        return None;
    }
    let total = all.total();
    let columns = vec![
        Column::name("cause"),
        Column::number("breaks"),
        Column::number("tokens billed again"),
        Column::number("cost"),
        Column::text("what happened"),
    ];
    let rows = CACHE_CAUSES.iter().filter_map(|cause| Some(cause_row(*cause, *all.causes.get(cause)?))).collect();
    let title = format!(
        "Prompt cache: {} of {} read clearly less than the call before had left",
        whole(total.costs.number),
        plural(all.due.calls, "call")
    );
    let avoidable = (total.costs.number > 0).then(|| format!("Avoidable: {}", sum(all.avoidable(), "break")));
    let missed = all.families.iter().map(|(family, reads)| missed(family, *reads));
    let notes = avoidable.into_iter().chain(missed).collect();
    Some(Section { title, columns, rows, notes, ..Section::default() })
}

fn cause_row(cause: CacheCause, breaks: BreakSum) -> Vec<String> {
    let cost = PartialSum::from(breaks.costs).cell();
    vec![cause.name().to_owned(), whole(breaks.costs.number), count(breaks.tokens), cost, cause.summary().to_owned()]
}

/// `3 breaks, 120,000 tokens billed again, $0.41`, with a noun for the breaks.
pub fn sum(breaks: BreakSum, noun: &str) -> String {
    let tokens = plural(usize::try_from(breaks.tokens).unwrap_or(usize::MAX), "token");
    let head = format!("{}, {tokens} billed again", plural(breaks.costs.number, noun));
    let cost = PartialSum::from(breaks.costs).text().filter(|_| breaks.costs.number > 0);
    cost.map_or_else(|| head.clone(), |cost| format!("{head}, {cost}"))
}

/// How often the cache of a family missed what it should have had.
fn missed(family: &SmolStr, reads: CacheReliability) -> String {
    let share = |share: Option<_>| share.map_or_else(unknown, percent);
    format!(
        "Misses of {family} that nothing explains: {} of {} ({}), {} of the tokens that should have been read",
        whole(reads.missed_calls),
        plural(reads.calls, "call"),
        share(reads.missed_call_share()),
        share(reads.missed_token_share()),
    )
}
