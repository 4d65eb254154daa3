//! The options of a replay, and the contexts that it reports while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Conversation, Entry, Message, SentMessage, Views};
use trimtab_base::playbook::Playbook;
use trimtab_base::quantity::Value;
use trimtab_language::check::Reading;
use trimtab_run::run::BoundReasoning;

use super::confirmations::Confirmations;
use super::fact_series::FactSeries;
use super::reasoning_handling::ReasoningHandling;

/// How contexts are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    /// `Reported` if the recording contains usage, otherwise `Exact` if the model's tokenizer is published and in the build,
    /// otherwise `Estimate`.
    #[default]
    Best,
    /// An estimate from the kinds of characters, calibrated with the transcript's usage.
    Estimate,
    /// The counts of the model's tokenizer; an estimate if it is not published or not in the build.
    Exact,
    /// The recorded input minus what the policy removed, by the estimate.
    Reported,
    /// The recorded input, unchanged.
    Recorded,
}

impl Tokens {
    /// Those by which the contexts of a transcript are counted.
    pub const COUNTERS: [Self; 4] = [Self::Exact, Self::Estimate, Self::Reported, Self::Recorded];

    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Estimate => "estimate",
            Self::Exact => "exact",
            Self::Reported => "reported",
            Self::Recorded => "recorded",
        }
    }
}

/// The options of a replay.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// How contexts are counted.
    pub tokens: Tokens,
    /// The window; overrides all other sources.
    pub window: Option<u64>,
    /// The model; overrides all other sources.
    pub model: Option<String>,
    /// The day whose prices every call has, or `None` for those of its own time.
    pub prices_of: Option<Date>,
    /// The agent's tools; overrides all other sources.
    pub tools: Option<Vec<SmolStr>>,
    /// Declared facts of the host that have these values throughout; they override the recorded ones.
    pub facts: BTreeMap<SmolStr, Value>,
    /// The playbook with which the session begins; overrides the recorded one.
    pub playbook: Option<Arc<Playbook>>,
    /// A call whose rules are explained.
    pub explain: Option<usize>,
    /// Whether the rules of every call are explained.
    pub explain_all: bool,
    /// Whether replies without usage count as reported, as in a scripted conversation.
    pub assumes_usage: bool,
    /// Whether the trace contains the events that hooks would get.
    pub events: bool,
    /// Whether quotes of content that rules removed are shown as text from the recording.
    pub quotes: bool,
    /// Whether the trace contains the price of each call.
    pub per_call: bool,
    /// Whether the trace contains what each call would have sent, with at most this many characters of each text; 0 for no
    /// texts.
    pub timeline: Option<usize>,
    /// Whether the provider caches no prompts, for comparison.
    pub without_cache: bool,
    /// What the host does with reasoning after a change, for models that bind it.
    pub reasoning: ReasoningHandling,
    /// Facts that are read whenever a context is sent.
    pub observed: Vec<Reading>,
    /// Facts with given values.
    pub given: FactSeries,
    /// How a person answers the questions of rules, unless a live session has recorded the answers.
    pub confirm: Confirmations,
}

/// A context exactly as it would have been sent.
pub struct Sent<'a> {
    /// The call.
    pub call: usize,
    /// Its run.
    pub run: u64,
    /// Its iteration.
    pub iteration: u64,
    /// Its size in tokens.
    pub tokens: u64,
    /// The conversation under the policy.
    pub conversation: &'a Conversation,
    /// What is different in this request.
    pub views: &'a Views,
    /// The declared tools.
    pub tools: &'a BTreeSet<SmolStr>,
    /// The reasoning that the host removes if it is invalid.
    pub(super) stripped: Option<&'a BoundReasoning>,
}

impl Sent<'_> {
    /// The declared tools that are offered.
    pub fn offered_tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(SmolStr::as_str).filter(|tool| self.views.offers_tool(tool))
    }

    /// Its messages.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        let request = self.views.request(self.conversation);
        request.iter().map(|sent| self.stripped(sent).unwrap_or_else(|| Arc::clone(sent.message()))).collect()
    }

    /// The messages of the conversation and those that views add after them, if that is all that is sent.
    pub fn whole_conversation(&self) -> Option<(&[Entry], Vec<Arc<Message>>)> {
        let is_whole = !self.views.change_before_end() && self.stripped.is_none_or(BoundReasoning::is_valid);
        is_whole.then(|| (self.conversation.entries(), self.views.end_messages().collect()))
    }

    /// A message without its reasoning, if the host removes that and leaves anything.
    fn stripped(&self, sent: &SentMessage<'_>) -> Option<Arc<Message>> {
        let SentMessage::Entry(entry) = sent else { return None };
        self.stripped.filter(|reasoning| reasoning.is_invalid(entry.id()))?;
        let mut message = entry.message().clone();
        message.parts.retain(|part| !matches!(part.body, Body::Thinking { .. }));
        (!message.parts.is_empty()).then(|| Arc::new(message))
    }
}
