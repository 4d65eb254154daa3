//! Conversion of the records of a session or a sub-agent to messages.

use trimtab_base::conversation::{Body, Compaction, Message, Role};

use super::Line;
use super::telemetry::ApiCalls;
use crate::transcript::gemini_contents::part::PartReader;
use crate::transcript::gemini_contents::{parse_content, usage};
use crate::transcript::record::Skipped;
use crate::transcript::wire::Raw;
use crate::transcript::{HarnessCall, HarnessCallKind, Transcript, compaction};

/// The subtypes of user records that no person wrote.
const HARNESS_SUBTYPES: [&str; 3] = ["notification", "cron", "background_task_completed"];

/// The messages so far.
#[derive(Default)]
pub(super) struct Builder {
    messages: Vec<Message>,
    parts: PartReader,
    window: Option<u64>,
    /// A compression before the next message that is not a tool result.
    pending_compaction: Option<Compaction>,
    /// Whether a person has asked for a compression.
    is_requested: bool,
    calls: ApiCalls,
}

impl Builder {
    pub(super) fn add(&mut self, line: &Line<'_>, skipped: &mut Skipped) {
        self.window = line.context_window_size.0.filter(|tokens| *tokens > 0).or(self.window);
        match line.kind.as_str() {
            "system" if line.subtype.as_str() == "chat_compression" => self.compress(line, skipped),
            "system" => {
                self.calls.add(&line.system_payload.ui_event, self.messages.len());
                self.is_requested |= line.system_payload.raw_command.as_str().starts_with("/compress");
                skipped.count(&format!("system:{}", line.subtype.as_str()));
            }
            _ => self.add_content(line, skipped),
        }
    }

    fn add_content(&mut self, line: &Line<'_>, skipped: &mut Skipped) {
        let read = line.message.and_then(|raw| parse_content(raw, &mut self.parts));
        let Some(read) = read else { return skipped.count(line.kind.get().unwrap_or("record without a type")) };
        let has_failed = matches!(line.tool_call_result.status.as_str(), "error" | "cancelled");
        let is_of_harness = HARNESS_SUBTYPES.contains(&line.subtype.as_str()) || line.provenance.as_str() == "system";
        for mut message in read {
            message.at = line.timestamp.non_empty();
            match message.role {
                Role::Assistant => {
                    message.model = line.model.non_empty();
                    message.usage = usage(line.usage_metadata).filter(|usage| usage.total() > 0);
                    self.calls.add_reply(message.model.as_ref(), message.usage);
                    if message.parts.is_empty() && message.usage.is_none() {
                        skipped.count("empty reply");
                        continue;
                    }
                }
                Role::User => message.harness |= is_of_harness,
                _ => {}
            }
            for part in &mut message.parts {
                if let Body::ToolResult(result) = &mut part.body {
                    result.is_error |= has_failed;
                }
            }
            self.push(message);
        }
    }

    /// Adds the call of a reply on a branch that the person has left.
    pub(super) fn add_left(&mut self, line: &Line<'_>) {
        let usage = usage(line.usage_metadata).filter(|usage| line.message.is_some() && usage.total() > 0);
        let (messages, kind) = (self.messages.len(), HarnessCallKind::Branch);
        let call = usage.map(|usage| HarnessCall { messages, kind, usage, model: line.model.non_empty() });
        self.calls.beside.extend(call);
    }

    /// Begins the context again with the history that Qwen Code sends from here on. It repeats replies and results, which no
    /// call of the model made here.
    fn compress(&mut self, line: &Line<'_>, skipped: &mut Skipped) {
        self.calls.close();
        let info = &line.system_payload.info;
        let tokens = info.original_token_count.0.filter(|tokens| *tokens > 0);
        let is_requested = std::mem::take(&mut self.is_requested) || info.trigger_reason.as_str() == "manual";
        self.pending_compaction = Some(Compaction { automatic: !is_requested, tokens, ..Compaction::default() });
        let history = line.system_payload.compressed_history.into_iter().flat_map(Raw::elements);
        for message in history.filter_map(|raw| parse_content(raw, &mut PartReader::default())).flatten() {
            if message.role == Role::User {
                self.push(Message { harness: true, at: line.timestamp.non_empty(), ..message });
            } else {
                skipped.count("message kept by a compression");
            }
        }
    }

    fn push(&mut self, mut message: Message) {
        compaction::mark_first(&mut message, &mut self.pending_compaction);
        self.messages.push(message);
    }

    pub(super) fn finish(mut self) -> Transcript {
        self.calls.close();
        self.calls.beside.sort_by_key(|call| call.messages);
        Transcript {
            window: self.window,
            messages: self.messages.into_iter().map(Into::into).collect(),
            harness_calls: self.calls.beside,
            ..Transcript::default()
        }
    }
}
