//! Conversion of steps to messages.

use serde::Deserialize;
use smol_str::{SmolStr, ToSmolStr};
use trimtab_base::conversation::{Body, Compaction, HarnessEdits, Message, Part, Role, ToolResult, Usage};

use crate::transcript::record::Skipped;
use crate::transcript::wire::{self, Content, Count, Flag, List, Raw, Str, Text, TokenCount};
use crate::transcript::{block, time, usage};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Step<'a> {
    #[serde(borrow)]
    source: Str<'a>,
    timestamp: Str<'a>,
    message: Content<'a>,
    model_name: Str<'a>,
    reasoning_effort: Option<Raw<'a>>,
    reasoning_content: Text,
    tool_calls: List<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    observation: Observation<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    metrics: Metrics,
    llm_call_count: Count,
    is_copied_context: Flag,
    #[serde(deserialize_with = "wire::lenient")]
    extra: StepExtra<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Observation<'a> {
    #[serde(borrow)]
    results: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireResult<'a> {
    #[serde(borrow)]
    source_call_id: Str<'a>,
    content: Content<'a>,
    subagent_trajectory_ref: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireCall<'a> {
    #[serde(borrow)]
    tool_call_id: Str<'a>,
    function_name: Str<'a>,
    arguments: Option<Raw<'a>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Metrics {
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    cached_tokens: TokenCount,
    #[serde(deserialize_with = "wire::lenient")]
    extra: MetricsExtra,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct MetricsExtra {
    cache_creation_input_tokens: TokenCount,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct StepExtra<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    context_management: ContextManagement<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ContextManagement<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
}

impl Step<'_> {
    /// Returns the usage of the reply, or `None` if it is the sum of several calls. The prompt includes what was
    /// cached.
    fn usage(&self) -> Option<Usage> {
        let metrics = &self.metrics;
        let cache_write = metrics.extra.cache_creation_input_tokens;
        metrics.prompt_tokens.0.filter(|_| self.llm_call_count.0.unwrap_or(1) == 1)?;
        let recorded = [metrics.prompt_tokens, metrics.cached_tokens, cache_write, metrics.completion_tokens];
        Some(usage::with_cache(recorded)).filter(|usage| usage.total() > 0)
    }
}

/// The messages built so far.
#[derive(Default)]
pub(super) struct MessageBuilder {
    messages: Vec<Message>,
    /// Whether the next message, unless it is a result, begins a compacted context.
    is_compacted: bool,
    /// Whether copied steps restore a context: at the beginning, and after a compaction.
    restores: Restores,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Restores {
    #[default]
    Yes,
    No,
}

impl MessageBuilder {
    /// Adds a step.
    pub(super) fn add(&mut self, raw: Raw<'_>, skipped: &mut Skipped) {
        if !skipped.accepts(&raw) {
            return;
        }
        let step: Step<'_> = raw.object().unwrap_or_default();
        if step.extra.context_management.kind.as_str() == "compaction" {
            self.is_compacted = true;
            self.restores = Restores::Yes;
            skipped.count("compaction record");
            return;
        }
        if !step.is_copied_context.0 {
            self.restores = Restores::No;
        } else if self.restores == Restores::No {
            skipped.count("copied step");
            return;
        }
        match step.source.as_str() {
            "agent" => self.add_reply(step, skipped),
            "user" => self.add_input(Role::User, step, skipped),
            "system" => self.add_input(Role::System, step, skipped),
            _ => skipped.count("step without a known source"),
        }
    }

    /// Returns the messages.
    pub(super) fn finish(self) -> Vec<Message> {
        self.messages
    }

    fn add_input(&mut self, role: Role, step: Step<'_>, skipped: &mut Skipped) {
        let at = at(&step);
        let parts = parts(step.message);
        // A continuation begins with a copy of the prompt, which a person wrote, and of a handoff.
        let has_prompt = self.messages.iter().any(|message| message.role == Role::User);
        let harness = role == Role::User && step.is_copied_context.0 && has_prompt;
        if !parts.is_empty() {
            self.push(Message { at: at.clone(), harness, ..Message::new(role, parts) });
        }
        self.add_observation(&step.observation, false, at.as_ref(), skipped);
    }

    fn add_reply(&mut self, step: Step<'_>, skipped: &mut Skipped) {
        let (at, usage) = (at(&step), step.usage().filter(|_| !step.is_copied_context.0));
        let text = step.reasoning_content.0.filter(|text| !text.is_empty());
        let thinking = text.map(|text| Part::new(Body::Thinking { text, signature: None }));
        let calls = step.tool_calls.0.iter().flatten().filter_map(|raw| raw.object()).map(|wire| call(&wire));
        let calls: Vec<_> = calls.collect();
        let has_calls = !calls.is_empty();
        let parts = thinking.into_iter().chain(parts(step.message)).chain(calls).collect();
        let (model, effort) = (step.model_name.non_empty(), step.reasoning_effort.and_then(effort));
        self.push(Message { at: at.clone(), usage, model, effort, ..Message::new(Role::Assistant, parts) });
        self.add_observation(&step.observation, has_calls, at.as_ref(), skipped);
    }

    fn add_observation(
        &mut self,
        observation: &Observation<'_>,
        has_calls: bool,
        at: Option<&SmolStr>,
        skipped: &mut Skipped,
    ) {
        for raw in observation.results.0.iter().flatten() {
            let result: WireResult<'_> = raw.object().unwrap_or_default();
            let references = result.subagent_trajectory_ref.0.as_ref().map_or(0, Vec::len);
            skipped.add("reference to a sub-agent", references as u64);
            let id = SmolStr::new(result.source_call_id.as_str());
            let bodies = block::parse_parts(result.content, block::parse_block);
            let message = if has_calls || !id.is_empty() {
                let (text, attachments) = block::join_texts(bodies);
                let result = ToolResult { id, name: None, text, attachments, is_error: false };
                Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))])
            } else if bodies.is_empty() {
                continue;
            } else {
                let parts = bodies.into_iter().map(Part::new).collect();
                Message { harness: true, ..Message::new(Role::User, parts) }
            };
            self.push(Message { at: at.cloned(), ..message });
        }
    }

    fn push(&mut self, mut message: Message) {
        if self.is_compacted && message.role != Role::Tool {
            self.is_compacted = false;
            message.resets = true;
            let compaction = Some(Compaction { automatic: true, ..Compaction::default() });
            message.harness_edits = Some(Box::new(HarnessEdits { compaction, ..HarnessEdits::default() }));
        }
        self.messages.push(message);
    }
}

fn at(step: &Step<'_>) -> Option<SmolStr> {
    step.timestamp.get().filter(|at| !at.is_empty()).map(time::from_naive)
}

/// A reasoning effort: a word or a number.
fn effort(raw: Raw<'_>) -> Option<SmolStr> {
    let text = raw.text().map(SmolStr::new);
    text.or_else(|| raw.parse::<f64>().map(|number| number.to_smolstr())).filter(|text| !text.is_empty())
}

/// The parts of a message without empty texts.
fn parts(content: Content<'_>) -> Vec<Part> {
    let bodies = block::parse_parts(content, block::parse_plain_block).into_iter();
    bodies.filter(|body| !matches!(body, Body::Text(text) if text.is_empty())).map(Part::new).collect()
}

fn call(wire: &WireCall<'_>) -> Part {
    Part::call(wire.tool_call_id.as_str(), wire.function_name.as_str(), wire::arguments(wire.arguments))
}
