//! Counts of what the transcripts of files hold.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use smol_str::SmolStr;
use trimtab_model::model::Models;
use trimtab_recordings::transcript::{HarnessCallKind, Transcript};
use trimtab_simulate::simulate::RecordedCache;

use super::cache_statistics::CacheStatistics;
use super::cost_sum::{CallCosts, CostSum};
use super::unused_tools::ToolDefinitions;

/// Counts of transcripts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TranscriptCounts {
    /// Conversations.
    pub conversations: usize,
    /// Messages.
    pub messages: usize,
    /// Tool calls.
    pub calls: usize,
    /// Tool results.
    pub results: usize,
    /// Tool results that the recording marks as errors.
    pub errors: usize,
    /// Tool results that are errors by their text only.
    pub inferred_errors: usize,
    /// Replies with recorded usage.
    pub usage: usize,
}

impl TranscriptCounts {
    fn of(transcript: &Transcript) -> Self {
        let mut counts = Self { conversations: 1, ..Self::default() };
        for message in transcript.messages.iter().filter(|message| !message.kept) {
            counts.messages += 1;
            counts.calls += message.calls().count();
            counts.results += message.results().count();
            let errors = message.results().filter(|result| result.is_error).count();
            *(if message.inferred_error { &mut counts.inferred_errors } else { &mut counts.errors }) += errors;
            counts.usage += usize::from(message.usage.is_some());
        }
        counts
    }
}

impl AddAssign for TranscriptCounts {
    fn add_assign(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.messages += other.messages;
        self.calls += other.calls;
        self.results += other.results;
        self.errors += other.errors;
        self.inferred_errors += other.inferred_errors;
        self.usage += other.usage;
    }
}

/// What the replies with recorded usage used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedUse {
    /// The replies, with usage or without.
    pub replies: usize,
    /// Tokens of input and output.
    pub tokens: u64,
    /// The largest context in tokens.
    pub peak: u64,
    /// The replies with usage, and what they cost at list prices.
    pub costs: CostSum,
}

impl RecordedUse {
    fn of(transcript: &Transcript, models: &Models) -> Self {
        let mut used = Self::default();
        for message in transcript.messages.iter().filter(|message| !message.kept) {
            used.replies += usize::from(message.is_reply());
            let Some(usage) = message.usage else { continue };
            let model = message.model.as_ref().or(transcript.model.as_ref());
            let call = CallCosts::of(usage, model, message.at.as_deref(), models);
            used.tokens = used.tokens.saturating_add(call.tokens);
            used.peak = used.peak.max(usage.context());
            used.costs = used.costs.with(call.costs);
        }
        used
    }

    /// Whether anything of it is known. A conversation without replies used nothing.
    pub const fn is_known(self) -> bool {
        self.costs.number > 0 || self.replies == 0
    }
}

impl AddAssign for RecordedUse {
    fn add_assign(&mut self, other: Self) {
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.peak = self.peak.max(other.peak);
        self.replies += other.replies;
        self.costs = self.costs.with(other.costs);
    }
}

/// What the calls besides the messages used, by their kind.
pub type HarnessCallCosts = BTreeMap<HarnessCallKind, CallCosts>;

/// What the calls of a transcript besides its messages used. A call has the time of the newest message before it.
fn harness_calls(transcript: &Transcript, models: &Models) -> HarnessCallCosts {
    let mut sums = HarnessCallCosts::new();
    for call in &transcript.harness_calls {
        let before = transcript.messages.get(..call.messages).unwrap_or(&transcript.messages);
        let at = before.iter().rev().find_map(|message| message.at.as_deref());
        let costs = CallCosts::of(call.usage, call.model.as_ref().or(transcript.model.as_ref()), at, models);
        add_harness_calls(&mut sums, &HarnessCallCosts::from([(call.kind, costs)]));
    }
    sums
}

fn add_harness_calls(sums: &mut HarnessCallCosts, other: &HarnessCallCosts) {
    for (kind, costs) in other {
        let sum = sums.entry(*kind).or_default();
        *sum = sum.with(*costs);
    }
}

/// What a transcript holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptStatistics {
    counts: TranscriptCounts,
    used: RecordedUse,
    harness_calls: HarnessCallCosts,
    cache: CacheStatistics,
    tools: ToolDefinitions,
    model: Option<SmolStr>,
    window: Option<u64>,
    skipped: BTreeMap<String, u64>,
}

impl TranscriptStatistics {
    /// The statistics of a transcript.
    pub fn of(transcript: &Transcript, models: &Models) -> Self {
        Self {
            counts: TranscriptCounts::of(transcript),
            used: RecordedUse::of(transcript, models),
            harness_calls: harness_calls(transcript, models),
            cache: CacheStatistics::of(&RecordedCache::of(transcript, models)),
            tools: ToolDefinitions::of(transcript, models),
            model: transcript.main_model().cloned(),
            window: transcript.window,
            skipped: transcript.skipped.clone(),
        }
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStatistics {
    /// The file as the user gave it.
    pub file: String,
    /// The format that it was read as.
    pub format: &'static str,
    /// All formats that recognised it.
    pub sniffed: Vec<&'static str>,
    /// The counts over its conversations.
    pub counts: TranscriptCounts,
    /// What the replies with recorded usage used.
    pub used: RecordedUse,
    /// What the calls besides the messages used.
    pub harness_calls: HarnessCallCosts,
    /// What was read from the prompt cache, and its breaks.
    pub cache: CacheStatistics,
    /// The definitions of tools that it holds.
    pub tools: ToolDefinitions,
    /// The model of the first conversation that names one.
    pub model: Option<SmolStr>,
    /// The recorded context window of the first conversation that has one, in tokens.
    pub window: Option<u64>,
    /// Skipped records, by kind.
    pub skipped: BTreeMap<String, u64>,
}

impl FileStatistics {
    /// The statistics of a file without transcripts.
    pub fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            format: "",
            sniffed: Vec::new(),
            counts: TranscriptCounts::default(),
            used: RecordedUse::default(),
            harness_calls: HarnessCallCosts::new(),
            cache: CacheStatistics::default(),
            tools: ToolDefinitions::default(),
            model: None,
            window: None,
            skipped: BTreeMap::new(),
        }
    }

    /// Adds the next transcript of the file.
    pub fn add(&mut self, transcript: TranscriptStatistics) {
        self.counts += transcript.counts;
        self.used += transcript.used;
        add_harness_calls(&mut self.harness_calls, &transcript.harness_calls);
        self.cache += &transcript.cache;
        self.tools.add(&transcript.tools);
        self.model = self.model.take().or(transcript.model);
        self.window = self.window.or(transcript.window);
        self.add_skipped(&transcript.skipped);
    }

    /// Adds skipped records.
    pub fn add_skipped(&mut self, skipped: &BTreeMap<String, u64>) {
        add_skipped(&mut self.skipped, skipped);
    }

    /// What the calls besides the messages of several files used.
    pub fn harness_calls_in(files: &[Self]) -> HarnessCallCosts {
        let mut sums = HarnessCallCosts::new();
        for file in files {
            add_harness_calls(&mut sums, &file.harness_calls);
        }
        sums
    }

    /// The skipped records of several files, by kind.
    pub fn skipped_in(files: &[Self]) -> BTreeMap<String, u64> {
        let mut sum = BTreeMap::new();
        for file in files {
            add_skipped(&mut sum, &file.skipped);
        }
        sum
    }
}

/// What all files of one format hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatStatistics {
    /// The format.
    pub format: &'static str,
    /// The number of files.
    pub files: usize,
    /// The counts over the files.
    pub counts: TranscriptCounts,
    /// Skipped records, by kind.
    pub skipped: BTreeMap<String, u64>,
}

impl FormatStatistics {
    /// The totals of each format, in the order of the first file of each.
    pub fn totals(files: &[FileStatistics]) -> Vec<Self> {
        let mut totals: Vec<Self> = Vec::new();
        for file in files {
            let index = totals.iter().position(|total| total.format == file.format).unwrap_or_else(|| {
                let (counts, skipped) = (TranscriptCounts::default(), BTreeMap::new());
                totals.push(Self { format: file.format, files: 0, counts, skipped });
                totals.len() - 1
            });
            let total = &mut totals[index];
            total.files += 1;
            total.counts += file.counts;
            add_skipped(&mut total.skipped, &file.skipped);
        }
        totals
    }
}

fn add_skipped(sum: &mut BTreeMap<String, u64>, skipped: &BTreeMap<String, u64>) {
    for (kind, count) in skipped {
        *sum.entry(kind.clone()).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use trimtab_recordings::transcript;

    use super::*;

    fn statistics(text: &str) -> FileStatistics {
        let read = transcript::read(text.as_bytes(), None).expect("a recording");
        let mut file = FileStatistics { format: read.format, sniffed: read.sniffed, ..FileStatistics::new("a") };
        read.transcripts
            .iter()
            .for_each(|transcript| file.add(TranscriptStatistics::of(transcript, &Models::default())));
        file
    }

    #[test]
    fn calls_results_errors_and_usage_are_counted() {
        let file = statistics(concat!(
            r#"{"trimtab":1,"model":"m","window":9000}"#,
            "\n",
            r#"{"role":"user","content":"go"}"#,
            "\n",
            r#"{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"a","arguments":{}},{"type":"tool_call","id":"2","name":"a","arguments":{}}],"usage":{"input":5,"output":2}}"#,
            "\n",
            r#"{"role":"tool","content":[{"type":"tool_result","id":"1","content":"x","is_error":true}]}"#,
            "\n",
        ));
        let one = TranscriptCounts { conversations: 1, messages: 3, calls: 2, ..TranscriptCounts::default() };
        let counts = TranscriptCounts { results: 1, errors: 1, usage: 1, ..one };
        assert_eq!(file.counts, counts);
        assert_eq!((file.model.as_deref(), file.window), (Some("m"), Some(9000)));
        assert_eq!((file.format, file.sniffed[0]), ("trimtab", "trimtab"));
    }

    #[test]
    fn totals_are_summed_by_format() {
        let chat = statistics(r#"[{"role":"user","content":"hi"}]"#);
        let own = statistics("{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"hi\"}\nbroken\n");
        let totals = FormatStatistics::totals(&[chat.clone(), own, chat]);
        let shown: Vec<_> = totals.iter().map(|total| (total.format, total.files, total.counts.messages)).collect();
        assert_eq!(shown, [("openai_chat", 2, 2), ("trimtab", 1, 1)]);
        assert_eq!(totals[1].skipped.values().sum::<u64>(), 1);
    }
}
