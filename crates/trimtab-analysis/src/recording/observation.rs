//! What filled the contexts of recordings, and what a policy could reduce: figures of a replay without rules.

mod changed_files;
mod content;
mod parts;
mod pauses;
mod redundancy;
mod streak;
mod user_texts;

use std::collections::BTreeMap;
use std::ops::AddAssign;

use smol_str::SmolStr;
use trimtab_base::conversation::{Counter, Usage};
use trimtab_base::quantity::Decimal;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Transcript;
use trimtab_simulate::simulate::{self, Call, FailingSummariser, Options, ReplayInputs, ResetCause, Trace};

pub use self::changed_files::ChangedFiles;
pub use self::content::ContentKind;
use self::content::{BesidesMessages, ContentTracker};
pub use self::pauses::Pauses;
use self::redundancy::RedundancyTracker;
pub use self::streak::Streaks;
pub use self::user_texts::UserTexts;

/// Figures of one transcript, or the sums over several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// Transcripts.
    pub transcripts: usize,
    /// The formats of the transcripts, with their numbers.
    pub formats: BTreeMap<&'static str, usize>,
    /// Model calls.
    pub calls: usize,
    /// The tokens that all calls sent together.
    pub sent: u128,
    /// How many transcripts begin in the middle of the session.
    pub partial: usize,
    /// The largest context in tokens.
    pub peak: u64,
    /// The largest context as a share of its window, or `None` without calls.
    pub peak_share: Option<Decimal>,
    /// The smallest known window in tokens of a transcript with calls.
    pub smallest_window: Option<u64>,
    /// How many transcripts with calls have an unknown window.
    pub unknown_windows: usize,
    /// The tokens that were sent of each kind of content; their sum is [`Self::sent`].
    pub content: BTreeMap<ContentKind, u128>,
    /// The tool results.
    pub results: Results,
    /// Long texts of persons that later calls sent again.
    pub user_texts: UserTexts,
    /// Results that newer identical calls returned again.
    pub duplicates: RedundantResults,
    /// Results of reads of a file that was read or written again later.
    pub superseded: RedundantResults,
    /// Identical calls in a row.
    pub repeats: Streaks,
    /// Error results in a row.
    pub failures: Streaks,
    /// The compactions of the recorded harness.
    pub compactions: Compactions,
    /// Files that had been changed when the recorded harness compacted.
    pub changed_files: ChangedFiles,
    /// Pauses in which the cache of the provider expired.
    pub pauses: Pauses,
    /// The calls with each known window, by its tokens: their sizes, contents and results.
    pub by_window: BTreeMap<u64, Self>,
    /// The same for the calls of each known model.
    pub by_model: BTreeMap<SmolStr, Self>,
}

/// Tool results and how large they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Their number.
    pub count: usize,
    /// The number of large results: of at least 10,000 characters, or fewer in a small window.
    pub large: usize,
    /// The counted tokens of these.
    pub large_tokens: u64,
    /// The characters of the largest one.
    pub largest_chars: usize,
}

/// Results that newer ones made redundant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedundantResults {
    /// Their number.
    pub count: usize,
    /// Their counted tokens.
    pub tokens: u64,
}

/// Compactions of the recorded harness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compactions {
    /// Their number.
    pub count: usize,
    /// The tokens that left the context.
    pub freed: u64,
    /// The tokens that the first calls after them processed without the cache.
    pub rewritten: u64,
    /// The smallest context in tokens at which the harness compacted.
    pub smallest: Option<u64>,
}

/// The characters from which on a result counts as large.
const LARGE_RESULT: usize = 10_000;

/// In a small window, a result is large from window / 20 characters on: 1,600 characters for 32,000 tokens.
const TOKENS_PER_LARGE_CHAR: u64 = 20;

/// The characters from which on content of a session counts as large: `usual` ones, or fewer in a small window.
fn large_threshold(trace: &Trace, usual: usize) -> usize {
    let window = trace.calls.iter().filter_map(|call| call.window).min();
    let chars = window.and_then(|window| usize::try_from(window / TOKENS_PER_LARGE_CHAR).ok());
    chars.map_or(usual, |chars| chars.min(usual))
}

impl Observations {
    /// The figures of a transcript. The plan describes the host; it has no rules.
    pub fn of(plan: &Plan, transcript: &Transcript, options: &Options) -> Self {
        let observed = pauses::pause_readings().into_iter().chain(parts::model_reading()).collect();
        let options = Options { observed, ..options.clone() };
        let counter = ReplayInputs::of(plan, transcript, &options).counter;
        let mut content = ContentTracker::new(&counter);
        let mut redundancy = RedundancyTracker::default();
        let trace = simulate::replay(plan, transcript, &options, &mut FailingSummariser, &mut |sent| {
            content.record(sent.conversation);
            redundancy.record(sent.conversation);
        });
        let (calls, sent) = (trace.calls.len(), trace.before().sum);
        let sum = |of: fn(&Call) -> u64| trace.calls.iter().map(|call| u128::from(of(call))).sum();
        let besides = BesidesMessages { overhead: sum(|call| call.overhead), unrecorded: sum(|call| call.unrecorded) };
        let mut whole = Self {
            transcripts: 1,
            formats: [(trace.format, 1)].into(),
            calls,
            sent,
            partial: usize::from(transcript.missing_history),
            peak: trace.before().peak,
            peak_share: trace.before().peak_ratio,
            smallest_window: trace.calls.iter().filter_map(|call| call.window).min(),
            unknown_windows: usize::from(trace.calls.iter().any(|call| call.window.is_none())),
            content: content.finish(besides, sent),
            results: Results::of(transcript, &counter, large_threshold(&trace, LARGE_RESULT)),
            user_texts: UserTexts::of(transcript, &counter, large_threshold(&trace, user_texts::LONG_TEXT)),
            duplicates: redundancy.duplicates,
            superseded: redundancy.superseded,
            repeats: streak::repeated_calls(transcript),
            failures: streak::failures(transcript),
            compactions: Compactions::of(&trace),
            changed_files: ChangedFiles::of(transcript),
            pauses: Pauses::of(&trace.calls),
            ..Self::default()
        };
        whole.by_window = parts::by_window(&whole, &trace.calls);
        whole.by_model = parts::by_model(&whole, &trace.calls);
        whole
    }
}

impl AddAssign for Observations {
    fn add_assign(&mut self, other: Self) {
        self.transcripts += other.transcripts;
        for (format, count) in other.formats {
            *self.formats.entry(format).or_default() += count;
        }
        self.calls += other.calls;
        self.sent += other.sent;
        self.partial += other.partial;
        self.peak = self.peak.max(other.peak);
        self.peak_share = self.peak_share.max(other.peak_share);
        self.smallest_window = self.smallest_window.into_iter().chain(other.smallest_window).min();
        self.unknown_windows += other.unknown_windows;
        for (kind, tokens) in other.content {
            *self.content.entry(kind).or_default() += tokens;
        }
        self.results += other.results;
        self.user_texts += other.user_texts;
        self.duplicates += other.duplicates;
        self.superseded += other.superseded;
        self.repeats += other.repeats;
        self.failures += other.failures;
        self.compactions += other.compactions;
        self.changed_files += other.changed_files;
        self.pauses += other.pauses;
        parts::add(&mut self.by_window, other.by_window);
        parts::add(&mut self.by_model, other.by_model);
    }
}

impl Results {
    /// The results of a transcript, of which those with at least `large` characters are large.
    fn of(transcript: &Transcript, counter: &dyn Counter, large: usize) -> Self {
        let mut results = Self::default();
        for message in transcript.messages.iter().filter(|message| !message.kept) {
            for result in message.results() {
                let chars = result.text.chars().count();
                results.count += 1;
                results.largest_chars = results.largest_chars.max(chars);
                if chars >= large {
                    results.large += 1;
                    results.large_tokens += counter.message(message);
                }
            }
        }
        results
    }
}

impl AddAssign for Results {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.large += other.large;
        self.large_tokens += other.large_tokens;
        self.largest_chars = self.largest_chars.max(other.largest_chars);
    }
}

impl AddAssign for RedundantResults {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.tokens += other.tokens;
    }
}

impl Compactions {
    fn of(trace: &Trace) -> Self {
        let mut compactions = Self::default();
        for reset in &trace.resets {
            let ResetCause::Compaction(compaction) = reset.cause else { continue };
            let size = |call: Option<usize>| call.and_then(|call| trace.calls.get(call)).map(|call| call.before);
            let before = compaction.tokens.or_else(|| size(reset.call.checked_sub(1))).unwrap_or_default();
            let first = trace.money.calls.get(reset.call).map(|(usage, _)| *usage).unwrap_or_default();
            compactions += Self {
                count: 1,
                freed: before.saturating_sub(size(Some(reset.call)).unwrap_or_default()),
                rewritten: uncached(first),
                smallest: (before > 0).then_some(before),
            };
        }
        compactions
    }
}

impl AddAssign for Compactions {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.freed = self.freed.saturating_add(other.freed);
        self.rewritten = self.rewritten.saturating_add(other.rewritten);
        self.smallest = self.smallest.into_iter().chain(other.smallest).min();
    }
}

/// The input of a call that was not read from the cache.
const fn uncached(usage: Usage) -> u64 {
    usage.input.saturating_add(usage.cache_write)
}

#[cfg(test)]
mod tests;
