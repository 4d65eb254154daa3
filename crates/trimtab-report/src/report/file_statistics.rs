//! The statistics of recordings: a row for each file, or for each format.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use trimtab_analysis::recording::{
    CacheStatistics, CallCosts, CostSum, FileStatistics, FormatStatistics, HarnessCallCosts, RecordedUse,
    ToolDefinitions, TranscriptCounts,
};
use trimtab_base::quantity::grouped;
use trimtab_recordings::transcript::HarnessCallKind;

use super::cache_statistics::{self, cache_json, unknown};
use super::listing::{Column, Listing, Section};
use super::number::{plural, skipped_kinds, whole};
use super::partial_sum::PartialSum;
use super::replay_result::ReplayError;
use super::unused_tools::{self, definitions_json};

/// The names of the counts after the conversations, in the table of formats.
const COUNTS: [&str; 6] = ["messages", "tool calls", "results", "errors", "inferred errors", "usage"];

/// A row for each file, and the errors of files that could not be read.
pub fn file_statistics(files: &[FileStatistics], errors: &[ReplayError]) -> Listing {
    let (mut cache, mut tools) = (CacheStatistics::default(), ToolDefinitions::default());
    for file in files {
        cache += &file.cache;
        tools.add(&file.tools);
    }
    let totals = cache_statistics::section(&cache).into_iter().chain(unused_tools::section(&tools));
    let sections = std::iter::once(files_section(files)).chain(totals).collect();
    let lines: Vec<Json> = files.iter().map(file_json).collect();
    let json = json!({
        "schema_version": 1, "files": lines, "harness_calls": harness_calls_json(&FileStatistics::harness_calls_in(files)), "cache": cache_json(&cache),
        "tools": definitions_json(&tools), "errors": errors,
    });
    Listing { sections, json, lines }
}

/// A row for each file.
fn files_section(files: &[FileStatistics]) -> Section {
    let infers = files.iter().any(|file| file.counts.inferred_errors > 0);
    // A model that all files have in common is said once.
    let common = files.first().map(|file| &file.model).filter(|common| files.iter().all(|file| file.model == **common));
    let rows = files.iter().map(|file| {
        let TranscriptCounts { errors, inferred_errors, usage, .. } = file.counts;
        let numbers = [errors].into_iter().chain(infers.then_some(inferred_errors)).chain([usage]).map(whole);
        let model = common.is_none().then(|| file.model.as_ref().map_or_else(unknown, ToString::to_string));
        std::iter::once(file.file.clone()).chain(numbers).chain(used(file.used)).chain(model).collect()
    });
    let numbers = ["errors"].into_iter().chain(infers.then_some("inferred")).chain(["usage", "tokens", "peak", "cost"]);
    let model = common.is_none().then_some(Column::label("model"));
    let columns = std::iter::once(Column::file("file")).chain(numbers.map(Column::number)).chain(model).collect();
    let harness_calls = FileStatistics::harness_calls_in(files);
    let notes = common
        .and_then(Option::as_ref)
        .map(|model| format!("Model: {model}"))
        .into_iter()
        .chain(formats(files))
        .chain(unpriced(files))
        .chain(branches(&harness_calls))
        .chain(skipped(None, &FileStatistics::skipped_in(files)))
        .collect();
    Section { columns, rows: rows.collect(), notes, ..Section::default() }
}

/// A note on the formats, and on how many conversations there are if a file has several; none without files.
fn formats(files: &[FileStatistics]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        *counts.entry(file.format).or_default() += 1;
    }
    let text = match counts.len() {
        0 => return None,
        1 => format!("Format: {}", counts.keys().copied().collect::<String>()),
        _ => {
            let each = counts.iter().map(|(format, files)| format!("{format} {}", whole(*files)));
            format!("Formats: {}", each.collect::<Vec<_>>().join(", "))
        }
    };
    let conversations: usize = files.iter().map(|file| file.counts.conversations).sum();
    let several = files.iter().any(|file| file.counts.conversations > 1);
    let more = format!("; {} in {}", plural(conversations, "conversation"), plural(files.len(), "file"));
    Some(if several { text + &more } else { text })
}

/// A note on calls whose price is unknown; none if there are none.
fn unpriced(files: &[FileStatistics]) -> Option<String> {
    let costs = files.iter().map(|file| file.used.costs).fold(CostSum::default(), CostSum::with);
    PartialSum::from(costs).priced("call")
}

/// A row for each format.
pub fn format_statistics(files: &[FileStatistics], errors: &[ReplayError]) -> Listing {
    let totals = FormatStatistics::totals(files);
    let infers = totals.iter().any(|total| total.counts.inferred_errors > 0);
    let rows = totals.iter().map(|total| {
        let numbers = [total.files, total.counts.conversations].into_iter().chain(counts(total.counts, infers));
        std::iter::once(total.format.to_owned()).chain(numbers.map(whole)).collect()
    });
    let numbers = ["files", "conversations"].into_iter().chain(names(infers));
    let columns = std::iter::once(Column::name("format")).chain(numbers.map(Column::number)).collect();
    let notes = totals.iter().filter_map(|total| skipped(Some(total.format), &total.skipped)).collect();
    let section = Section { columns, rows: rows.collect(), notes, ..Section::default() };
    let lines: Vec<Json> = totals.iter().map(format_json).collect();
    let json = json!({ "schema_version": 1, "formats": lines, "errors": errors });
    Listing { sections: vec![section], json, lines }
}

/// Tokens, peak and cost of the replies with recorded usage.
fn used(used: RecordedUse) -> [String; 3] {
    if !used.is_known() {
        return [unknown(), unknown(), unknown()];
    }
    [grouped(used.tokens.into()), grouped(used.peak.into()), PartialSum::from(used.costs).cell()]
}

/// The names of the counts. Inferred errors are left out if there are none.
fn names(infers: bool) -> impl Iterator<Item = &'static str> {
    COUNTS.into_iter().filter(move |name| infers || *name != "inferred errors")
}

/// The counts after the conversations. Inferred errors are left out if there are none in any row.
fn counts(counts: TranscriptCounts, infers: bool) -> impl Iterator<Item = usize> {
    let TranscriptCounts { messages, calls, results, errors, inferred_errors, usage, .. } = counts;
    [messages, calls, results, errors].into_iter().chain(infers.then_some(inferred_errors)).chain([usage])
}

/// A note on the calls of branches that conversations have left; none if there are none.
fn branches(harness_calls: &HarnessCallCosts) -> Option<String> {
    let CallCosts { costs, tokens } = *harness_calls.get(&HarnessCallKind::Branch)?;
    let (calls, tokens) =
        (plural(costs.number, "call"), plural(usize::try_from(tokens).unwrap_or(usize::MAX), "token"));
    let cost = PartialSum::from(costs).text().map(|cost| format!(", {cost}")).unwrap_or_default();
    Some(format!("Besides these, branches that the conversations have left: {calls}, {tokens}{cost}"))
}

/// A note on skipped records, the most frequent kind first; none if nothing was skipped.
fn skipped(format: Option<&str>, kinds: &BTreeMap<String, u64>) -> Option<String> {
    let of = format.map(|format| format!(" of {format}")).unwrap_or_default();
    (!kinds.is_empty()).then(|| format!("Skipped records{of}: {}", skipped_kinds(kinds)))
}

fn file_json(file: &FileStatistics) -> Json {
    let head = json!({ "file": file.file, "format": file.format, "sniffed": file.sniffed });
    let known = file.used.is_known().then_some(file.used);
    let used = json!({
        "tokens": known.map(|used| used.tokens), "peak_tokens": known.map(|used| used.peak),
        "priced": file.used.costs.priced, "cost": known.map(|used| PartialSum::from(used.costs).json()),
        "harness_calls": harness_calls_json(&file.harness_calls), "cache": cache_json(&file.cache), "tools": definitions_json(&file.tools),
    });
    let tail = json!({ "model": file.model, "window": file.window, "skipped": file.skipped });
    joined([head, counts_json(file.counts), used, tail])
}

fn harness_calls_json(harness_calls: &HarnessCallCosts) -> Json {
    let sum = |sum: &CallCosts| {
        json!({
            "calls": sum.costs.number, "priced": sum.costs.priced, "tokens": sum.tokens, "cost": PartialSum::from(sum.costs).json(),
        })
    };
    harness_calls.iter().map(|(kind, costs)| (kind.name().to_owned(), sum(costs))).collect::<Map<_, _>>().into()
}

fn format_json(total: &FormatStatistics) -> Json {
    let head = json!({ "format": total.format, "files": total.files });
    joined([head, counts_json(total.counts), json!({ "skipped": total.skipped })])
}

fn counts_json(counts: TranscriptCounts) -> Json {
    let TranscriptCounts { conversations, messages, calls, results, errors, inferred_errors, usage } = counts;
    json!({
        "conversations": conversations, "messages": messages, "calls": calls, "results": results, "errors": errors,
        "inferred_errors": inferred_errors, "usage": usage,
    })
}

/// The keys of several objects in one.
fn joined(objects: impl IntoIterator<Item = Json>) -> Json {
    let maps = objects.into_iter().filter_map(|object| match object {
        Json::Object(map) => Some(map),
        _ => None,
    });
    Json::Object(maps.flatten().collect())
}
