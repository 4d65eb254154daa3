//! The errors of replays, by model and format: a table for each measure.

use rust_decimal::prelude::ToPrimitive;
use serde_json::{Value as Json, json};
use smol_str::SmolStr;

use super::listing::{Column, Listing, Section};
use super::number::{plural, whole};
use super::replay_result::ReplayError;
use super::replay_result::errors_json;
use crate::quantity::{Decimal, percent};
use crate::simulate::{Accuracy, ERROR_SOURCES, ErrorSource, MEASURES, Measure};

/// The replays of recordings of one format with one model.
#[derive(Clone, Debug)]
pub struct AccuracyGroup {
    /// The model; none if the recordings do not name it.
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
    let lines: Vec<Json> = groups.iter().map(group_json).collect();
    let mut sections: Vec<Section> = MEASURES.iter().filter_map(|measure| section(*measure, groups, &all)).collect();
    sections.insert(0, summary(groups, &all));
    sections.extend(Some(intervals()).filter(|_| all.errors(Measure::ImitatedTokens).count() > 0));
    let total = accuracy_json(&all);
    let intervals: Vec<Json> = ERROR_SOURCES.into_iter().map(error_source_json).collect();
    let errors = errors_json(unread);
    let json =
        json!({ "schema_version": 1, "groups": lines, "total": total, "intervals": intervals, "errors": errors });
    Listing { sections, json, lines }
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

fn error_source_json(source: &ErrorSource) -> Json {
    let ErrorSource { name, of, below, above, source } = source;
    let share = |share: &i64| number(Some(Decimal::new(*share, 3)));
    json!({ "name": name, "of": of, "below": share(below), "above": share(above), "source": source })
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
    for (measure, held) in [Measure::ImitatedTokens, Measure::ImitatedCost].into_iter().zip(all.held) {
        let events = all.errors(measure).count();
        if events > 0 {
            let share = Decimal::from(held) / Decimal::from(events);
            let what = if measure == Measure::ImitatedTokens { "tokens" } else { "cost" };
            let percent = percent(share);
            notes.push(format!(
                "The 80% interval of the {what} holds {} of {} imitated events ({percent}).",
                whole(held),
                whole(events)
            ));
        }
    }
    if groups.is_empty() {
        notes = vec!["No recording has usage to compare with.".to_owned()];
    }
    Section { notes, ..Section::default() }
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
    let names = [measure.unit(), "median", "p90", "total"].map(Column::number);
    let columns = std::iter::once(Column::name("model, format")).chain(names).collect();
    (!rows.is_empty()).then(|| Section { title: measure.summary().to_owned(), columns, rows, ..Section::default() })
}

fn row(name: String, measure: Measure, accuracy: &Accuracy) -> Vec<String> {
    let errors = accuracy.errors(measure);
    let unit = if matches!(measure, Measure::CacheRead | Measure::CacheWrite) { "" } else { "%" };
    let share = |share: Option<Decimal>| share.map_or_else(String::new, |share| hundredths(share) + unit);
    vec![name, whole(errors.count()), share(errors.median()), share(errors.p90()), share(errors.total())]
}

/// A share in percent with two places, since many errors are below one.
fn hundredths(share: Decimal) -> String {
    (share * Decimal::ONE_HUNDRED).round_dp(2).normalize().to_string()
}

fn group_json(group: &AccuracyGroup) -> Json {
    let mut json = accuracy_json(&group.accuracy);
    json["model"] = json!(group.model);
    json["format"] = json!(group.format);
    json
}

fn accuracy_json(accuracy: &Accuracy) -> Json {
    let measures = MEASURES.iter().map(|measure| {
        let errors = accuracy.errors(*measure);
        let [median, p90, total] = [errors.median(), errors.p90(), errors.total()].map(number);
        (measure.word().to_owned(), json!({ "count": errors.count(), "median": median, "p90": p90, "total": total }))
    });
    json!({
        "conversations": accuracy.conversations, "calls": accuracy.calls,
        "cached_calls": accuracy.cached_calls, "cache_misses": accuracy.cache_misses,
        "held": { "tokens": accuracy.held[0], "cost": accuracy.held[1] },
        "measures": measures.collect::<serde_json::Map<_, _>>(),
    })
}

fn number(share: Option<Decimal>) -> Json {
    share.and_then(|share| share.to_f64()).map_or(Json::Null, Json::from)
}
