//! The recorded contexts of a transcript, call by call: a replay under a plan without rules.

mod content;
mod held;
mod tools;

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, MessageId, Usage};
use trimtab_language::check::Agent;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Transcript;
use trimtab_simulate::simulate::{self, FailingSummariser, ReplayInputs, Sent, Trace};

use self::content::content;
use self::held::HeldParts;
use self::tools::ToolHistories;
pub use content::{CallContent, ContentGroup};
pub use held::HeldPart;
pub use tools::ToolHistory;

/// What a history contains besides a line a call.
#[derive(Clone, Debug, Default)]
pub struct HistoryOptions {
    /// The host that the project's settings describe.
    pub agent: Agent,
    /// The context window in tokens; overrides all other sources.
    pub window: Option<u64>,
    /// The model; overrides the recorded one.
    pub model: Option<String>,
    /// The call whose content is listed, counted from 0.
    pub call: Option<usize>,
    /// How many of the largest parts are listed.
    pub largest: usize,
}

/// The recorded contexts of a transcript.
#[derive(Clone, Debug)]
pub struct History {
    /// The replay of the recording.
    pub trace: Trace,
    /// The model calls; as many as the trace has.
    pub calls: Vec<CallHistory>,
    /// The tools in the order of their first call.
    pub tools: Vec<ToolHistory>,
    /// The largest parts of the transcript, the largest first.
    pub largest: Vec<HeldPart>,
    /// The content of the chosen call, or `None` if there is no such call.
    pub content: Option<CallContent>,
}

/// What a model call got, and what its reply was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallHistory {
    /// The recorded tokens of its context.
    pub recorded: Option<u64>,
    /// The counted tokens of its messages.
    pub counted: u64,
    /// The messages that are new since the previous call, by role.
    pub added: BTreeMap<&'static str, usize>,
    /// The counted tokens of these messages.
    pub added_tokens: u64,
    /// The tool results among them that are errors.
    pub errors: usize,
    /// How many of these are errors by their text only.
    pub inferred_errors: usize,
    /// The tools that the reply calls, and how often each.
    pub tools: Vec<(SmolStr, usize)>,
}

impl History {
    /// The history of a transcript.
    pub fn of(transcript: &Transcript, options: &HistoryOptions) -> Self {
        let plan = Plan { agent: options.agent.clone(), ..Plan::without_rules() };
        let replayed =
            simulate::Options { window: options.window, model: options.model.clone(), ..simulate::Options::default() };
        let counter = ReplayInputs::of(&plan, transcript, &replayed).counter;
        let mut calls = Calls::default();
        let mut tools = ToolHistories::of(transcript, &counter);
        let mut held = HeldParts::of(transcript, &counter, options.largest);
        let replies = || transcript.messages.iter().filter(|message| message.is_reply());
        let last_call = replies().count().saturating_sub(1);
        let mut chosen = None;
        let trace = simulate::replay(&plan, transcript, &replayed, &mut FailingSummariser, &mut |sent| {
            calls.record(sent);
            held.record(sent);
            if options.call == Some(sent.call) {
                chosen = Some(content(sent, &counter));
            }
            if sent.call == last_call {
                tools.count_final(sent);
            }
        });
        for (call, reply) in calls.all.iter_mut().zip(replies()) {
            call.recorded = reply.usage.map(Usage::context).filter(|context| *context > 0);
            call.tools = called(reply);
        }
        Self { trace, calls: calls.all, tools: tools.finish(), largest: held.finish(), content: chosen }
    }
}

/// The tools that a reply calls, and how often each.
fn called(reply: &Message) -> Vec<(SmolStr, usize)> {
    let mut tools: Vec<(SmolStr, usize)> = Vec::new();
    for (_, name, _) in reply.calls() {
        match tools.iter_mut().find(|(known, _)| known == name) {
            Some((_, times)) => *times += 1,
            None => tools.push((name.clone(), 1)),
        }
    }
    tools
}

/// The calls of a replay as they are sent.
#[derive(Default)]
struct Calls {
    all: Vec<CallHistory>,
    newest: Option<MessageId>,
}

impl Calls {
    fn record(&mut self, sent: &Sent<'_>) {
        let mut call = CallHistory { counted: sent.conversation.tokens(), ..CallHistory::default() };
        let entries = sent.conversation.entries();
        for entry in entries.iter().rev().take_while(|entry| Some(entry.id()) > self.newest) {
            *call.added.entry(entry.role().word()).or_default() += 1;
            call.added_tokens += entry.tokens();
            let errors = entry.message().results().filter(|result| result.is_error).count();
            call.errors += errors;
            call.inferred_errors += if entry.message().inferred_error { errors } else { 0 };
        }
        self.newest = entries.last().map(trimtab_base::conversation::Entry::id).max(self.newest);
        self.all.push(call);
    }
}

#[cfg(test)]
mod tests;
