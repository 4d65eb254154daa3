//! Copilot CLI sessions: JSON lines of events.
//!
//! A reply is one event with all its calls, and each call has events of its own with its result. Events of a sub-agent
//! name the call that started it; they become a transcript of their own. Newer versions record the usage of each API call in
//! an event of its own, older ones tokens for the whole session and for compactions only.

mod thread;
mod usage_record;

use foldhash::HashMap;
use serde::Deserialize;
use smol_str::{SmolStr, format_smolstr};
use trimtab_base::conversation::Usage;

use self::thread::Thread;
use self::usage_record::UsageRecord;
use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Content, List, Raw, Str, Text, TokenCount};
use super::{Format, ReadError, Reader, Transcript, error, usage};

/// Session files of Copilot CLI.
pub(super) static COPILOT: Format = Format {
    name: "copilot",
    title: "Copilot CLI sessions",
    summary: "`events.jsonl` under `~/.copilot/session-state`; sub-agents become transcripts of their own",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

/// Event types that no other supported format uses.
const OWN_EVENTS: [&str; 6] = [
    "session.start",
    "user.message",
    "assistant.message",
    "tool.execution_start",
    "tool.execution_complete",
    "session.shutdown",
];

fn sniff(sample: &Sample<'_>) -> bool {
    let is_event = |record: &ShallowValue<'_>| {
        record.has("data") && record.string("type").is_some_and(|kind| OWN_EVENTS.contains(&kind.as_ref()))
    };
    sample.records().iter().any(is_event)
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    id: Str<'a>,
    timestamp: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    data: Data<'a>,
}

/// Where a session runs.
#[derive(Deserialize, Default)]
#[serde(default)]
struct SessionContext<'a> {
    #[serde(borrow)]
    cwd: Str<'a>,
}

/// The fields of all events.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow)]
    session_id: Str<'a>,
    start_time: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    context: SessionContext<'a>,
    selected_model: Str<'a>,
    new_model: Str<'a>,
    reasoning_effort: Str<'a>,
    role: Str<'a>,
    source: Str<'a>,
    content: Content<'a>,
    transformed_content: Text,
    model: Str<'a>,
    api_call_id: Str<'a>,
    reasoning_text: Text,
    reasoning_opaque: Str<'a>,
    tool_requests: List<'a>,
    parent_tool_call_id: Str<'a>,
    tool_call_id: Str<'a>,
    tool_name: Str<'a>,
    arguments: Option<Raw<'a>>,
    success: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
    error: Option<Raw<'a>>,
    /// How a command ended.
    #[serde(deserialize_with = "wire::lenient")]
    shell_execution: ShellExecution<'a>,
    pre_compaction_tokens: TokenCount,
    #[serde(deserialize_with = "wire::lenient")]
    compaction_tokens_used: CompactionTokens<'a>,
    summary_content: Text,
    custom_instructions: Str<'a>,
    token_limit: TokenCount,
    tool_definitions_tokens: TokenCount,
    up_to_event_id: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ShellExecution<'a> {
    #[serde(borrow)]
    exit_code: Option<Raw<'a>>,
}

/// The tokens of the call that wrote the summary of a compaction. Newer versions have other names for them.
#[derive(Deserialize, Default)]
#[serde(default)]
struct CompactionTokens<'a> {
    #[serde(alias = "inputTokens")]
    input: TokenCount,
    #[serde(rename = "cachedInput", alias = "cacheReadTokens")]
    cache_read: TokenCount,
    #[serde(rename = "cacheWriteTokens")]
    cache_write: TokenCount,
    #[serde(alias = "outputTokens")]
    output: TokenCount,
    #[serde(borrow)]
    model: Str<'a>,
}

impl CompactionTokens<'_> {
    /// Returns the usage, or `None` if nothing is recorded. The input includes the cache.
    fn usage(&self) -> Option<Usage> {
        self.input.0.filter(|tokens| *tokens > 0)?;
        Some(usage::with_cache([self.input, self.cache_read, self.cache_write, self.output]))
    }
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut session = PartialSession::default();
    for line in input.records(&mut session.skipped) {
        match line.parse::<Event<'_>>() {
            Some(event) if usage_record::KINDS.contains(&event.kind.as_str()) => {
                session.add_usage(UsageRecord::of(line));
            }
            Some(event) if line.is_object() => session.add(event),
            Some(_) => session.skipped.count("non-object record"),
            None => session.skipped.count(record::BROKEN_LINE),
        }
    }
    if !session.has_event {
        return Err(error::no_record("copilot", input));
    }
    Ok(session.into_transcripts())
}

/// A session and its sub-agents.
#[derive(Default)]
struct PartialSession {
    main: Thread,
    /// The sub-agents, by the call that started them.
    sub_agents: Vec<(SmolStr, Thread)>,
    /// The index of the sub-agent that each call started.
    places: HashMap<SmolStr, usize>,
    /// The usage of API calls.
    usages: HashMap<SmolStr, UsageRecord>,
    /// The most tokens that Copilot sends.
    prompt_limit: Option<u64>,
    transcript: Transcript,
    has_event: bool,
    skipped: Skipped,
}

impl PartialSession {
    fn add(&mut self, event: Event<'_>) {
        let Some(kind) = event.kind.get().map(str::to_owned) else {
            return self.skipped.count("record without a type");
        };
        self.has_event |= kind.contains('.');
        match kind.as_str() {
            "session.start" => {
                self.transcript.id = event.data.session_id.as_str().into();
                self.transcript.started = event.data.start_time.non_empty().or_else(|| event.timestamp.non_empty());
                self.transcript.directory = event.data.context.cwd.non_empty();
                self.transcript.model = event.data.selected_model.non_empty();
                self.main.effort = event.data.reasoning_effort.non_empty();
            }
            "session.model_change" => {
                self.transcript.model = event.data.new_model.non_empty();
                self.main.effort = event.data.reasoning_effort.non_empty();
            }
            _ => {
                let positive = |count: TokenCount| count.0.filter(|tokens| *tokens > 0);
                self.transcript.window = positive(event.data.token_limit).or(self.transcript.window);
                self.transcript.tool_tokens =
                    positive(event.data.tool_definitions_tokens).or(self.transcript.tool_tokens);
                let has_usage = event.data.api_call_id.get().is_some_and(|id| self.usages.contains_key(id));
                if !self.thread(&event.data).add(&kind, event, has_usage) {
                    self.skipped.count(&kind);
                }
            }
        }
    }

    /// Keeps the usage of an API call until the end, since its reply may come later.
    fn add_usage(&mut self, record: UsageRecord) {
        self.has_event = true;
        self.prompt_limit = record.prompt_limit.or(self.prompt_limit);
        let messages = self.main.len();
        let id = record.api_call.clone().unwrap_or_else(|| format_smolstr!("#{}", self.usages.len()));
        self.usages.insert(id, UsageRecord { messages, ..record });
    }

    /// The conversation that an event belongs to.
    fn thread(&mut self, data: &Data<'_>) -> &mut Thread {
        let Some(parent) = data.parent_tool_call_id.non_empty() else { return &mut self.main };
        let at = *self.places.entry(parent).or_insert_with_key(|parent| {
            self.sub_agents.push((parent.clone(), Thread::of_sub_agent(&self.main, parent)));
            self.sub_agents.len() - 1
        });
        &mut self.sub_agents[at].1
    }

    fn into_transcripts(self) -> Vec<Transcript> {
        let Self { mut main, mut sub_agents, mut usages, prompt_limit, mut transcript, mut skipped, .. } = self;
        for thread in [&mut main].into_iter().chain(sub_agents.iter_mut().map(|(_, thread)| thread)) {
            thread.take_usages(&mut usages);
            skipped.add("other branch", thread.rewound as u64);
        }
        main.add_harness_calls(usages.into_values().collect());
        transcript.window = prompt_limit.or(transcript.window);
        let model = transcript.model.clone();
        let main = main.into_transcript(Transcript { skipped: skipped.0, ..transcript });
        let sub_agents = sub_agents.into_iter().map(|(id, thread)| {
            let agent =
                Transcript { id: id.to_string(), agent: Some(id), model: model.clone(), ..Transcript::default() };
            thread.into_transcript(agent)
        });
        [main].into_iter().chain(sub_agents).collect()
    }
}

#[cfg(test)]
mod tests;
