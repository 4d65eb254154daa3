//! The errors of replays, by model and format: a table for each measure.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, percent};
use trimtab_simulate::simulate::{Accuracy, Coverage, ERROR_SOURCES, ErrorSource, IMITATED_EVENTS, MEASURES, Measure};

use super::listing::{Column, Listing, Section};
use super::number::{plural, whole};
use super::replay_result::ReplayError;
use super::result::{AccuracyResult, CalibrationResult, ErrorSourceResult, GroupAccuracy, SCHEMA_VERSION};

/// The replays of recordings of one format with one model.
#[derive(Clone, Debug)]
pub struct AccuracyGroup {
    /// The model, or `None` if the recordings do not name it.
    pub model: Option<SmolStr>,
    /// The format of the recordings.
    pub format: &'static str,
    /// Their errors.
    pub accuracy: Accuracy,
}

/// The errors of each group and of all groups, and of the files that could not be read.
pub fn accuracy(groups: &[AccuracyGroup], unread: &[ReplayError]) -> Listing {
    let mut all = Accuracy::default();
    for group in groups {
        all.merge(group.accuracy.clone());
    }
    let mut sections: Vec<Section> = MEASURES.iter().filter_map(|measure| section(*measure, groups, &all)).collect();
    sections.insert(0, summary(groups, &all));
    sections.extend(Some(intervals()).filter(|_| all.errors(Measure::ImitatedTokens).count() > 0));
    let result = CalibrationResult {
        schema_version: SCHEMA_VERSION,
        groups: groups.iter().map(result_of).collect(),
        total: AccuracyResult::from(&all),
        intervals: ERROR_SOURCES.into_iter().map(ErrorSourceResult::from).collect(),
        errors: unread.to_vec(),
    };
    Listing::new(sections, &result, &result.groups)
}

fn result_of(group: &AccuracyGroup) -> GroupAccuracy {
    GroupAccuracy {
        accuracy: AccuracyResult::from(&group.accuracy),
        model: group.model.as_ref().map(ToString::to_string),
        format: group.format.to_owned(),
    }
}

/// The errors that the intervals of verdicts allow for.
fn intervals() -> Section {
    let percent = |share: i64| percent(Decimal::new(share, 3));
    let row = |source: &ErrorSource| {
        vec![source.name.to_owned(), source.of.to_owned(), percent(source.below), percent(source.above)]
    };
    Section {
        title: "Errors that the intervals allow for".to_owned(),
        columns: vec![Column::name("error"), Column::text("share of"), Column::number("less"), Column::number("more")],
        rows: ERROR_SOURCES.into_iter().map(row).collect(),
        ..Section::default()
    }
}

fn summary(groups: &[AccuracyGroup], all: &Accuracy) -> Section {
    let mut notes = vec![format!(
        "{} with usage in {}. Errors are relative to the recording; `total` is the error of the sum.",
        plural(all.calls, "call"),
        plural(all.conversations, "conversation"),
    )];
    if all.cache_misses > 0 {
        let calls = plural(all.cached_calls, "call");
        let misses = whole(all.cache_misses);
        notes.push(format!("{misses} of {calls} with a prompt cache read less than half of what its rules give."));
    }
    notes.extend(IMITATED_MEASURES.iter().enumerate().filter_map(|(at, (_, what))| coverage(all, at, what)));
    if groups.is_empty() {
        notes = vec!["No recording has usage to compare with.".to_owned()];
    }
    Section { notes, ..Section::default() }
}

/// The measures of imitated events, in the order of their coverage, with what they are of.
const IMITATED_MEASURES: [(Measure, &str); 2] = [(Measure::ImitatedTokens, "tokens"), (Measure::ImitatedCost, "cost")];

/// How many imitated events the interval holds: `The 80% interval of the cost holds 5 of 7 imitated events (71.4%): 3 of 4
/// compactions, 2 of 3 clearings.`
fn coverage(all: &Accuracy, at: usize, what: &str) -> Option<String> {
    let Coverage { events, held } = all.held().figures[at];
    let share = Decimal::from(held).checked_div(events.into())?;
    let kinds = IMITATED_EVENTS.iter().zip(all.imitated).filter_map(|(kind, count)| {
        let Coverage { events, held } = count.figures[at];
        (events > 0).then(|| format!("{} of {}", whole(held), plural(events, kind.noun())))
    });
    Some(format!(
        "The 80% interval of the {what} holds {} of {} ({}): {}.",
        whole(held),
        plural(events, "imitated event"),
        percent(share),
        kinds.collect::<Vec<_>>().join(", ")
    ))
}

/// A row for each group that has the measure, and one for all if there are several.
fn section(measure: Measure, groups: &[AccuracyGroup], all: &Accuracy) -> Option<Section> {
    let with = |group: &&AccuracyGroup| group.accuracy.errors(measure).count() > 0;
    let named = groups.iter().filter(with).map(|group| {
        let model = group.model.as_ref().map_or("unknown model", SmolStr::as_str);
        row(format!("{model}, {}", group.format), measure, &group.accuracy)
    });
    let mut rows: Vec<Vec<String>> = named.collect();
    if rows.len() > 1 {
        rows.push(row("all".to_owned(), measure, all));
    }
    let held = imitated(measure).map(|_| "held");
    let names = std::iter::once(measure.unit()).chain(held).chain(["median", "p90", "total"]).map(Column::number);
    let columns = std::iter::once(Column::name("model, format")).chain(names).collect();
    (!rows.is_empty()).then(|| Section { title: measure.summary().to_owned(), columns, rows, ..Section::default() })
}

fn row(name: String, measure: Measure, accuracy: &Accuracy) -> Vec<String> {
    let errors = accuracy.errors(measure);
    let unit = if matches!(measure, Measure::CacheRead | Measure::CacheWrite) { "" } else { "%" };
    let share = |share: Option<Decimal>| share.map_or_else(String::new, |share| hundredths(share) + unit);
    let held = imitated(measure).map(|at| whole(accuracy.held().figures[at].held));
    let shares = [errors.median(), errors.p90(), errors.total()].map(share);
    [name, whole(errors.count())].into_iter().chain(held).chain(shares).collect()
}

/// The position of a measure among those of imitated events.
fn imitated(measure: Measure) -> Option<usize> {
    IMITATED_MEASURES.iter().position(|(imitated, _)| *imitated == measure)
}

/// A share in percent with two places, since many errors are below one.
fn hundredths(share: Decimal) -> String {
    (share * Decimal::ONE_HUNDRED).round_dp(2).normalize().to_string()
}
