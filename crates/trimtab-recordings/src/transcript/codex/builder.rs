//! Conversion of the records of a session to messages.

use foldhash::HashSet;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Compaction, Message, Part, Role, Usage};

use super::output;
use super::record::{Compacted, Event, EventKind, Meta, Record, TokenUsage, Turn, UsageRecord};
use crate::transcript::item::{Item, ItemKind, ItemMessages};
use crate::transcript::record::Skipped;
use crate::transcript::wire::{Raw, TokenCount};
use crate::transcript::{HarnessCall, HarnessCallKind, Transcript, first_model, usage};

/// The prefixes of user messages that Codex writes.
const HARNESS_PREFIXES: [&str; 8] = [
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<environment_context>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<permissions instructions>",
];

/// The messages of a session so far.
pub(super) struct Builder {
    transcript: Transcript,
    items: ItemMessages,
    has_meta: bool,
    model: Option<SmolStr>,
    /// The reasoning effort of the turn.
    effort: Option<SmolStr>,
    /// The tokens of all calls so far.
    total: Option<TokenUsage>,
    /// The tokens of the last response, until the event that repeats them.
    response: Option<TokenUsage>,
    /// The responses that wrote the summaries of compactions.
    summaries: HashSet<SmolStr>,
    /// The calls whose failure an event reports.
    failed_calls: HashSet<SmolStr>,
    skipped: Skipped,
    /// The texts of the system messages.
    prompt: HashSet<String>,
    /// The index after what the newest compaction has kept.
    after_compaction: usize,
}

impl Builder {
    pub(super) fn new(records: &[Record<'_>], skipped: Skipped) -> Self {
        let failed = records.iter().filter_map(|record| match record {
            Record::Event(event) => event.failed_call(),
            _ => None,
        });
        let summaries = records.iter().filter_map(|record| match record {
            Record::Compacted(compacted) => compacted.response(),
            _ => None,
        });
        Self {
            transcript: Transcript::default(),
            items: ItemMessages::default(),
            has_meta: false,
            model: None,
            effort: None,
            total: None,
            response: None,
            summaries: summaries.collect(),
            failed_calls: failed.collect(),
            skipped,
            prompt: HashSet::default(),
            after_compaction: 0,
        }
    }

    pub(super) fn skip(&mut self, kind: &str) {
        self.skipped.count(kind);
    }

    /// Reads what is known about the session. Further records of this kind come with messages copied from the session
    /// that this one continues.
    pub(super) fn add_meta(&mut self, meta: &Meta<'_>) {
        if std::mem::replace(&mut self.has_meta, true) {
            return self.skip("session_meta");
        }
        self.transcript.id = meta.id.as_str().into();
        self.transcript.started = meta.timestamp.non_empty();
        self.transcript.directory = meta.cwd.non_empty();
        self.transcript.agent = meta.id.non_empty().filter(|_| meta.is_sub_agent());
        if let Some(text) = meta.base_instructions.text.0.clone().filter(|text| !text.is_empty()) {
            self.items.push(Message::text(Role::System, text));
        }
    }

    pub(super) fn begin_turn(&mut self, turn: Turn) {
        self.model = turn.model.or_else(|| self.model.take());
        self.effort = turn.effort;
    }

    pub(super) fn add_item(&mut self, raw: Raw<'_>, at: Option<SmolStr>) {
        let Some(item) = Item::of(raw) else { return self.skip("non-object record") };
        let Some(message) = self.items.add(&item) else { return self.skipped.count(&item.type_name()) };
        message.at = message.at.take().or(at);
        match message.role {
            Role::Assistant => {
                message.model = message.model.take().or_else(|| self.model.clone());
                message.effort = message.effort.take().or_else(|| self.effort.clone());
            }
            Role::User => message.harness = is_from_harness(message),
            Role::Tool => {
                let failed = &self.failed_calls;
                for part in &mut message.parts {
                    if let Body::ToolResult(result) = &mut part.body {
                        result.is_error |= failed.contains(&result.id) || output::has_failed(&result.text);
                    }
                }
            }
            Role::System => {
                self.prompt.insert(message.plain_text());
            }
        }
    }

    /// Begins the context again, with the messages that Codex kept or with a summary.
    pub(super) fn compact(&mut self, compacted: &Compacted<'_>, automatic: bool) {
        self.items.pending_compaction = Some(Compaction { automatic, ..Compaction::default() });
        let history = compacted.replacement_history.0.as_deref().unwrap_or_default();
        let first = self.items.messages.len();
        self.items.end_reply();
        for raw in history {
            let item = Item::of(*raw);
            let kind = item.as_ref().map_or(ItemKind::Pinned, Item::kind);
            let is_copy = kind.is_of_reply() || kind.role() == Some(Role::Tool);
            if is_copy || item.is_some_and(|item| self.has_prompt(&item)) {
                // No call of the model made it, or the empty context has it.
                self.skip("copied message");
            } else {
                self.add_item(*raw, compacted.at.clone());
            }
        }
        let summary = compacted.message.0.clone().filter(|text| history.is_empty() && !text.is_empty());
        if let Some(summary) = summary {
            self.items.push(Message { at: compacted.at.clone(), ..Message::text(Role::User, summary) });
        }
        self.items.end_reply();
        let kept = self.items.messages.get_mut(first..).unwrap_or_default();
        for copy in kept.iter_mut().filter(|message| message.role == Role::User) {
            copy.harness = true;
        }
        self.after_compaction = self.items.messages.len();
    }

    /// Whether an item is a part of the system prompt, which an empty context keeps.
    fn has_prompt(&self, item: &Item<'_>) -> bool {
        let text = || Message::new(Role::System, item.bodies().into_iter().map(Part::new).collect()).plain_text();
        item.kind().role() == Some(Role::System) && self.prompt.contains(&text())
    }

    pub(super) fn add_event(&mut self, event: &Event<'_>) {
        self.transcript.window = event.window().or(self.transcript.window);
        match event.kind() {
            EventKind::Usage => self.add_usage(event),
            EventKind::Boundary => {
                self.items.end_reply();
                self.skip_event(event);
            }
            EventKind::RollBack => self.roll_back(event.turns()),
            EventKind::Other => self.skip_event(event),
        }
    }

    /// Removes the newest turns, each from its message of a person on, with the compactions in them. Their replies were paid for.
    fn roll_back(&mut self, turns: usize) {
        self.items.end_reply();
        let messages = &mut self.items.messages;
        let is_turn = |message: &Message| message.role == Role::User && !message.harness;
        let all: Vec<usize> = (0..messages.len()).filter(|at| is_turn(&messages[*at])).collect();
        let Some(first) = all.get(all.len().saturating_sub(turns)).copied() else { return };
        // What Codex writes before a message of a person goes with it, but for that of the first turn.
        let is_update =
            |message: &Message| message.harness && message.role == Role::User || message.role == Role::System;
        let between = &messages[self.after_compaction.min(first)..first];
        let before = between.iter().rev().take_while(|message| is_update(message)).count();
        let at = if Some(&first) == all.first() { first } else { first - before };
        self.after_compaction = self.after_compaction.min(at);
        self.skipped.add("other branch", (messages.len() - at) as u64);
        for call in &mut self.transcript.harness_calls {
            call.messages = at.min(call.messages);
        }
        let left = messages.drain(at..).filter(Message::is_reply);
        let call = |reply: Message| {
            Some(HarnessCall { messages: at, kind: HarnessCallKind::Branch, usage: reply.usage?, model: reply.model })
        };
        self.transcript.harness_calls.extend(left.filter_map(call));
    }

    fn skip_event(&mut self, event: &Event<'_>) {
        self.skip(&format!("event_msg:{}", event.name.get().unwrap_or("event without a type")));
    }

    /// Sets the usage of the last reply, right after it. The reply that is the summary of a compaction is no message of the
    /// conversation, but a call of the harness.
    pub(super) fn add_usage_record(&mut self, record: &UsageRecord<'_>) {
        self.items.end_reply();
        let Some(tokens) = record.tokens() else { return self.skip("token_usage_record") };
        self.response = Some(tokens);
        let is_summary = record.response().is_some_and(|id| self.summaries.contains(&id));
        let is_open = |message: &Message| message.role == Role::Assistant && message.usage.is_none();
        if is_summary && self.items.messages.last().is_some_and(is_open) {
            self.items.messages.pop();
        }
        self.set_usage(Some(usage(tokens)).filter(|usage| usage.total() > 0), is_summary);
    }

    /// Sets the usage of the last reply. A call without a new reply is one that Codex made for itself, such as a compaction.
    /// Codex repeats an event when only its rate limits have changed.
    fn add_usage(&mut self, event: &Event<'_>) {
        self.items.end_reply();
        let total = event.info.total();
        let last = event.info.last().or_else(|| total.map(|total| difference(total, self.total)));
        let repeats = total.is_some() && total == self.total || last.is_some() && last == self.response.take();
        self.total = total.or(self.total);
        let usage = last.filter(|_| !repeats).map(usage).filter(|usage| usage.total() > 0);
        if !self.set_usage(usage, false) {
            self.skip_event(event);
        }
    }

    /// Sets the usage of the last reply, or adds a call of the harness if it has one. Returns whether there is any.
    fn set_usage(&mut self, usage: Option<Usage>, is_summary: bool) -> bool {
        let Some(usage) = usage else { return false };
        let reply = self.items.messages.iter_mut().rfind(|message| message.role == Role::Assistant);
        if let Some(reply) = reply.filter(|reply| reply.usage.is_none() && !is_summary) {
            reply.usage = Some(usage);
        } else {
            let (messages, model) = (self.items.messages.len(), self.model.clone());
            let kind = if is_summary { HarnessCallKind::Summary } else { HarnessCallKind::Other };
            self.transcript.harness_calls.push(HarnessCall { messages, kind, usage, model });
        }
        true
    }

    pub(super) fn finish(self) -> Transcript {
        let messages: Vec<_> = self.items.messages.into_iter().map(Into::into).collect();
        Transcript {
            model: first_model(&messages).or(self.model),
            messages,
            skipped: self.skipped.0,
            ..self.transcript
        }
    }
}

fn usage(tokens: TokenUsage) -> Usage {
    usage::with_cache([tokens.input, tokens.cached, tokens.cache_write, tokens.output])
}

/// The tokens since an earlier total.
fn difference(total: TokenUsage, earlier: Option<TokenUsage>) -> TokenUsage {
    let earlier = earlier.unwrap_or_default();
    let since = |now: TokenCount, then: TokenCount| {
        let is_plausible = now.is_plausible() && then.is_plausible();
        let tokens = TokenCount(Some(now.or_zero().saturating_sub(then.or_zero())));
        if is_plausible { tokens } else { TokenCount::INVALID }
    };
    TokenUsage {
        input: since(total.input, earlier.input),
        cached: since(total.cached, earlier.cached),
        cache_write: since(total.cache_write, earlier.cache_write),
        output: since(total.output, earlier.output),
    }
}

/// Returns whether the message has text, all of it written by Codex.
fn is_from_harness(message: &Message) -> bool {
    let mut texts = message.parts.iter().filter_map(|part| match &part.body {
        Body::Text(text) => Some(text.trim_start()),
        _ => None,
    });
    let has_prefix = |text: &str| HARNESS_PREFIXES.iter().any(|prefix| text.starts_with(prefix));
    message.parts.iter().any(|part| matches!(part.body, Body::Text(_))) && texts.all(has_prefix)
}
