//! The statistics of recordings: a row for each file, or for each format.

use std::collections::BTreeMap;

use trimtab_analysis::recording::{
    CacheStatistics, CallCosts, CostSum, FileStatistics, FormatStatistics, HarnessCallCosts, RecordedUse,
    ToolDefinitions, TranscriptCounts,
};
use trimtab_base::quantity::grouped;
use trimtab_recordings::transcript::HarnessCallKind;

use super::cache_statistics::{self, unknown};
use super::listing::{Column, Listing, Section};
use super::number::{plural, skipped_kinds, whole};
use super::partial_sum::PartialSum;
use super::replay_result::ReplayError;
use super::result::{
    CacheResult, DefinitionsResult, FileResult, FilesResult, FormatResult, FormatsResult, HarnessCallResult,
    SCHEMA_VERSION,
};
use super::unused_tools;

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
    let result = FilesResult {
        schema_version: SCHEMA_VERSION,
        files: files.iter().map(FileResult::from).collect(),
        harness_calls: HarnessCallResult::all(&FileStatistics::harness_calls_in(files)),
        cache: CacheResult::of(&cache),
        tools: DefinitionsResult::of(&tools),
        errors: errors.to_vec(),
    };
    Listing::new(sections, &result, &result.files)
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

/// Returns a note on the formats, and on how many conversations there are if a file has several, or `None` without
/// files.
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

/// Returns a note on calls whose price is unknown, or `None` if there are none.
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
    let formats = totals.iter().map(FormatResult::from).collect();
    let result = FormatsResult { schema_version: SCHEMA_VERSION, formats, errors: errors.to_vec() };
    Listing::new(vec![section], &result, &result.formats)
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

/// Returns a note on the calls of branches that conversations have left, or `None` if there are none.
fn branches(harness_calls: &HarnessCallCosts) -> Option<String> {
    let CallCosts { costs, tokens } = *harness_calls.get(&HarnessCallKind::Branch)?;
    let (calls, tokens) =
        (plural(costs.number, "call"), plural(usize::try_from(tokens).unwrap_or(usize::MAX), "token"));
    let cost = PartialSum::from(costs).text().map(|cost| format!(", {cost}")).unwrap_or_default();
    Some(format!("Besides these, branches that the conversations have left: {calls}, {tokens}{cost}"))
}

/// Returns a note on skipped records, the most frequent kind first, or `None` if nothing was skipped.
fn skipped(format: Option<&str>, kinds: &BTreeMap<String, u64>) -> Option<String> {
    let of = format.map(|format| format!(" of {format}")).unwrap_or_default();
    (!kinds.is_empty()).then(|| format!("Skipped records{of}: {}", skipped_kinds(kinds)))
}
