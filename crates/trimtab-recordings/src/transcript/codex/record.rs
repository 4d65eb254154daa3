//! One record of a session file.

use serde::Deserialize;
use smol_str::SmolStr;

use crate::transcript::wire::{self, Count, Fields, List, Raw, Str, Text, TokenCount};

/// The percentage of a model's context window that Codex records as `model_context_window`: the default of
/// `effective_context_window_percent` in its catalogue of models. All models of OpenAI have it:
/// <https://github.com/openai/codex/issues/19319>.
const EFFECTIVE_PERCENT: u64 = 95;

/// A record by its meaning.
#[derive(Debug)]
pub(super) enum Record<'a> {
    /// What is known about the session.
    Meta(Meta<'a>),
    /// An item that the model sees, with its time.
    Item { raw: Raw<'a>, at: Option<SmolStr> },
    /// A turn begins with this model.
    Turn(Turn),
    /// An event of the user interface.
    Event(Event<'a>),
    /// The usage of a response.
    Usage(UsageRecord<'a>),
    /// The context was compacted.
    Compacted(Compacted<'a>),
    /// Anything else, with the kind that it is counted as.
    Other(String),
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    timestamp: Str<'a>,
    payload: Option<Raw<'a>>,
    record_type: Str<'a>,
    role: Str<'a>,
    id: Str<'a>,
    session: Option<Raw<'a>>,
    items: List<'a>,
}

/// What is known about the session.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    pub(super) timestamp: Str<'a>,
    pub(super) cwd: Str<'a>,
    source: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    pub(super) base_instructions: Instructions,
}

impl Meta<'_> {
    /// Whether it is the session of a sub-agent.
    pub(super) fn is_sub_agent(&self) -> bool {
        self.source.and_then(Raw::object::<Fields<'_>>).is_some_and(|source| source.get("subagent").is_some())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Instructions {
    pub(super) text: Text,
}

/// What the requests of a turn have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    pub(super) model: Option<SmolStr>,
    /// The reasoning effort.
    pub(super) effort: Option<SmolStr>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TurnContext<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    effort: Str<'a>,
}

/// A compaction.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Compacted<'a> {
    pub(super) message: Text,
    #[serde(borrow)]
    pub(super) replacement_history: List<'a>,
    /// The response that wrote the summary.
    compaction_response_id: Str<'a>,
    #[serde(skip)]
    pub(super) at: Option<SmolStr>,
}

impl Compacted<'_> {
    /// The response that wrote the summary, if it is recorded.
    pub(super) fn response(&self) -> Option<SmolStr> {
        self.compaction_response_id.non_empty()
    }
}

/// The usage of a response, right after its items.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageRecord<'a> {
    #[serde(borrow)]
    response_id: Str<'a>,
    usage: Option<Raw<'a>>,
}

impl UsageRecord<'_> {
    /// The response.
    pub(super) fn response(&self) -> Option<SmolStr> {
        self.response_id.non_empty()
    }

    /// Its tokens.
    pub(super) fn tokens(&self) -> Option<TokenUsage> {
        self.usage.and_then(Raw::object)
    }
}

/// An event of the user interface.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) name: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    pub(super) info: TokenInfo<'a>,
    model_context_window: TokenCount,
    num_turns: Count,
    call_id: Str<'a>,
    exit_code: Option<Raw<'a>>,
    success: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
}

/// The part that an event plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    /// A turn begins or ends.
    Boundary,
    /// The usage of the calls so far.
    Usage,
    /// The newest turns are removed.
    RollBack,
    /// Anything else.
    Other,
}

impl Event<'_> {
    pub(super) fn kind(&self) -> EventKind {
        match self.name.as_str() {
            "task_started" | "task_complete" | "turn_started" | "turn_complete" | "turn_aborted" => EventKind::Boundary,
            "token_count" => EventKind::Usage,
            "thread_rolled_back" => EventKind::RollBack,
            _ => EventKind::Other,
        }
    }

    /// How many of the newest turns a person has taken back.
    pub(super) fn turns(&self) -> usize {
        self.num_turns.0.and_then(|turns| usize::try_from(turns).ok()).unwrap_or(0)
    }

    /// The context window of the model, computed from the recorded share of it.
    pub(super) fn window(&self) -> Option<u64> {
        let effective =
            self.info.model_context_window.0.or(self.model_context_window.0).filter(|window| *window > 0)?;
        Some(effective.saturating_mul(100).div_ceil(EFFECTIVE_PERCENT))
    }

    /// The id of the tool call that failed, if the event reports one.
    pub(super) fn failed_call(&self) -> Option<SmolStr> {
        let is = |raw: Option<Raw<'_>>, text: &str| raw.is_some_and(|raw| raw.get() == text);
        let failed = match self.name.as_str() {
            "exec_command_end" => self.exit_code.is_some_and(|code| !code.is_null() && code.get() != "0"),
            "patch_apply_end" => is(self.success, "false"),
            "mcp_tool_call_end" => {
                let result: Fields<'_> = self.result.and_then(Raw::object)?;
                let ok: Fields<'_> = result.get("Ok").and_then(Raw::object).unwrap_or_default();
                result.get("Err").is_some() || is(ok.get("isError").or_else(|| ok.get("is_error")), "true")
            }
            _ => false,
        };
        self.call_id.non_empty().filter(|_| failed)
    }
}

/// The usage of the calls so far.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenInfo<'a> {
    #[serde(borrow)]
    total_token_usage: Option<Raw<'a>>,
    last_token_usage: Option<Raw<'a>>,
    model_context_window: TokenCount,
}

impl TokenInfo<'_> {
    /// The tokens of all calls so far.
    pub(super) fn total(&self) -> Option<TokenUsage> {
        self.total_token_usage.and_then(Raw::object)
    }

    /// The tokens of the last call.
    pub(super) fn last(&self) -> Option<TokenUsage> {
        self.last_token_usage.and_then(Raw::object)
    }
}

/// Tokens as Codex counts them: the input includes cache reads and writes, the output includes reasoning.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub(super) struct TokenUsage {
    #[serde(rename = "input_tokens")]
    pub(super) input: TokenCount,
    #[serde(rename = "cached_input_tokens")]
    pub(super) cached: TokenCount,
    #[serde(rename = "cache_write_input_tokens")]
    pub(super) cache_write: TokenCount,
    #[serde(rename = "output_tokens")]
    pub(super) output: TokenCount,
}

impl<'a> Record<'a> {
    /// The records in a line: one, or those of a session in one document.
    pub(super) fn of(raw: Raw<'a>) -> Vec<Self> {
        let Some(line) = raw.object::<Line<'a>>() else { return vec![Self::Other("non-object record".to_owned())] };
        if let (Some(session), Some(items)) = (line.session, &line.items.0) {
            let items = items.iter().map(|raw| Self::Item { raw: *raw, at: None });
            return [Self::meta(session)].into_iter().chain(items).collect();
        }
        vec![Self::of_line(raw, &line)]
    }

    fn of_line(raw: Raw<'a>, line: &Line<'a>) -> Self {
        let at = line.timestamp.non_empty();
        let Some(payload) = line.payload else {
            return match (line.record_type.get(), line.kind.get().or_else(|| line.role.get())) {
                (Some(kind), _) => Self::Other(kind.to_owned()),
                (None, Some(_)) => Self::Item { raw, at },
                (None, None) if line.id.get().is_some() => Self::meta(raw),
                (None, None) => Self::Other("record without a type".to_owned()),
            };
        };
        match line.kind.as_str() {
            "session_meta" => Self::meta(payload),
            "response_item" => Self::Item { raw: payload, at },
            "turn_context" => {
                let context = wire::parse_or_default::<TurnContext<'_>>(Some(payload));
                Self::Turn(Turn { model: context.model.non_empty(), effort: context.effort.non_empty() })
            }
            "event_msg" => Self::Event(payload.object().unwrap_or_default()),
            "token_usage_record" => Self::Usage(payload.object().unwrap_or_default()),
            "compacted" => Self::Compacted(Compacted { at, ..payload.object().unwrap_or_default() }),
            kind => Self::Other(kind.to_owned()),
        }
    }

    fn meta(raw: Raw<'a>) -> Self {
        Self::Meta(raw.object().unwrap_or_default())
    }
}
