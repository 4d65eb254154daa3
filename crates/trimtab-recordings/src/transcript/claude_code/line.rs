//! One line of a session file.

use serde::Deserialize;
use trimtab_base::conversation::{Cleared, Compaction, Message, Part, Role};

use super::attachment::Attachment;
use crate::transcript::block;
use crate::transcript::wire::{self, Content, Count, Fields, Flag, List, Raw, Str, TokenCount};

/// The role of a line in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Input to the model: from a person, the harness or tools.
    User,
    /// A reply of the model, or a part of one.
    Assistant,
    /// The harness compacted the context.
    Compaction,
    /// The harness cleared tool results.
    Clearing,
    /// A prompt typed while the model worked, which the harness sent to the model here.
    QueuedPrompt,
    /// What the harness added to the next request: a file, a reminder, the list of skills.
    Attachment,
    /// A progress record that wraps a record of a sub-agent. The wrapped record becomes a line of its own.
    AgentProgress,
    /// A reply that the harness wrote in place of the model.
    Synthetic,
    /// A message shown to the person but not sent to the model.
    TranscriptOnly,
    /// Any other record.
    Other,
}

/// A line. The content of its message stays raw.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::transcript) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    pub(super) subtype: Str<'a>,
    pub(super) uuid: Str<'a>,
    pub(super) parent_uuid: Str<'a>,
    pub(super) logical_parent_uuid: Str<'a>,
    pub(super) session_id: Str<'a>,
    pub(super) agent_id: Str<'a>,
    pub(super) cwd: Str<'a>,
    pub(super) request_id: Str<'a>,
    /// The reasoning effort of a reply. Only newer versions record it.
    pub(super) effort: Str<'a>,
    pub(super) timestamp: Str<'a>,
    pub(super) is_sidechain: Flag,
    pub(super) is_meta: Flag,
    pub(super) is_compact_summary: Flag,
    pub(super) is_visible_in_transcript_only: Flag,
    pub(super) is_api_error_message: Flag,
    #[serde(deserialize_with = "wire::lenient")]
    pub(super) message: LineMessage<'a>,
    pub(super) operation: Str<'a>,
    /// The prompt of a queue operation.
    pub(super) content: Content<'a>,
    #[serde(deserialize_with = "wire::boxed")]
    pub(super) attachment: Option<Box<Attachment<'a>>>,
    /// The attachment as it was sent. Only newer versions record it.
    rendered: List<'a>,
    rendered_role: Str<'a>,
    /// What the record says of exact requests. Set after the line is parsed.
    #[serde(skip)]
    pub(super) request: Option<Box<RequestRecord<'a>>>,
    #[serde(deserialize_with = "wire::boxed")]
    data: Option<Box<Progress<'a>>>,
    /// Whether this queue operation sent a prompt to the model that no other record contains. Set by `queue`.
    #[serde(skip)]
    pub(super) sends_prompt: bool,
    #[serde(deserialize_with = "wire::boxed")]
    compact_metadata: Option<Box<CompactMetadata<'a>>>,
    #[serde(deserialize_with = "wire::boxed")]
    microcompact_metadata: Option<Box<MicrocompactMetadata<'a>>>,
    #[serde(rename = "session_id")]
    stream_session_id: Str<'a>,
    #[serde(rename = "parent_tool_use_id")]
    parent_tool_use_id: Str<'a>,
    #[serde(rename = "compact_metadata", deserialize_with = "wire::boxed")]
    stream_compact_metadata: Option<Box<StreamCompactMetadata<'a>>>,
}

/// The data of a progress record.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Progress<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    agent_id: Str<'a>,
    message: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CompactMetadata<'a> {
    #[serde(borrow)]
    trigger: Str<'a>,
    pre_tokens: TokenCount,
    post_tokens: TokenCount,
    #[serde(deserialize_with = "wire::lenient")]
    preserved_messages: KeptRecords<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    preserved_segment: KeptSegment<'a>,
}

/// The records of the kept messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct KeptRecords<'a> {
    #[serde(borrow)]
    pub(super) anchor_uuid: Str<'a>,
    pub(super) uuids: List<'a>,
    pub(super) all_uuids: List<'a>,
}

/// The first and the last record of the kept messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct KeptSegment<'a> {
    #[serde(borrow, rename = "headUuid")]
    pub(super) head: Str<'a>,
    #[serde(rename = "anchorUuid")]
    pub(super) anchor: Str<'a>,
    #[serde(rename = "tailUuid")]
    pub(super) tail: Str<'a>,
}

/// A record about exact requests.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RequestRecord<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    pub(super) query_source: Str<'a>,
    pub(super) base: Str<'a>,
    pub(super) keep: Count,
    pub(super) tail: List<'a>,
    pub(super) shape_hash: Str<'a>,
    pub(super) shape: Option<Raw<'a>>,
    pub(super) hash: Str<'a>,
    pub(super) message: Option<Raw<'a>>,
}

/// The same in the output of `claude -p`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StreamCompactMetadata<'a> {
    #[serde(borrow)]
    trigger: Str<'a>,
    pre_tokens: TokenCount,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MicrocompactMetadata<'a> {
    tokens_saved: TokenCount,
    #[serde(borrow)]
    compacted_tool_ids: List<'a>,
}

/// A message whose content stays raw.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LineMessage<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    role: Str<'a>,
    pub(super) model: Str<'a>,
    pub(super) content: Content<'a>,
    pub(super) usage: Option<Raw<'a>>,
}

impl<'a> Line<'a> {
    /// The role of the line in the conversation.
    pub(super) fn kind(&self) -> LineKind {
        let role = if self.kind.get().is_none() { &self.message.role } else { &self.kind };
        let is_synthetic = || self.is_api_error_message.0 || self.message.model.as_str() == "<synthetic>";
        match role.as_str() {
            "user" if self.is_visible_in_transcript_only.0 && !self.is_compact_summary.0 => LineKind::TranscriptOnly,
            "user" => LineKind::User,
            "assistant" if is_synthetic() => LineKind::Synthetic,
            "assistant" => LineKind::Assistant,
            "system" if self.subtype.as_str() == "compact_boundary" => LineKind::Compaction,
            "system" if self.subtype.as_str() == "microcompact_boundary" => LineKind::Clearing,
            "queue-operation" if self.sends_prompt => LineKind::QueuedPrompt,
            "attachment" if self.has_attachment(Attachment::is_queued_prompt) => LineKind::QueuedPrompt,
            "attachment" if self.is_sent_attachment() => LineKind::Attachment,
            "progress" if self.has_wrapped_record() => LineKind::AgentProgress,
            _ => LineKind::Other,
        }
    }

    /// Whether the line has an attachment with a property.
    pub(super) fn has_attachment(&self, has: impl FnOnce(&Attachment<'a>) -> bool) -> bool {
        self.attachment.as_deref().is_some_and(has)
    }

    fn is_sent_attachment(&self) -> bool {
        let rendered = self.rendered.0.as_ref();
        rendered.map_or_else(|| self.has_attachment(Attachment::is_sent), |rendered| !rendered.is_empty())
    }

    /// Returns the message that the attachment adds to the next request, or `None` if it has no content.
    pub(super) fn attached_message(&self) -> Option<Message> {
        let Some(rendered) = &self.rendered.0 else { return self.attachment.as_ref()?.message() };
        let contents = rendered.iter().filter_map(|raw| raw.object::<Fields<'_>>()?.get("content"));
        let parts: Vec<Part> =
            contents.flat_map(|content| block::parse_content(wire::parse_content(Some(content))).rest).collect();
        let role = if self.rendered_role.as_str() == "system" { Role::System } else { Role::User };
        (!parts.is_empty()).then(|| Message { harness: true, ..Message::new(role, parts) })
    }

    fn has_wrapped_record(&self) -> bool {
        self.data.as_ref().is_some_and(|data| data.kind.as_str() == "agent_progress" && data.message.is_some())
    }

    /// Parses the record of a sub-agent that a progress record wraps.
    pub(super) fn wrapped(&self) -> Option<Self> {
        let data = self.data.as_ref().filter(|_| self.kind() == LineKind::AgentProgress)?;
        let mut line: Self = data.message?.object()?;
        line.is_sidechain = Flag(true);
        line.agent_id.clone_from(&data.agent_id);
        line.session_id.clone_from(&self.session_id);
        Some(line)
    }

    /// Takes the fields that the output of `claude -p` has under other names. A line with the call of a sub-agent belongs
    /// to that agent.
    pub(in crate::transcript) fn adapt_stream(&mut self) {
        if self.session_id.get().is_none() {
            self.session_id = std::mem::take(&mut self.stream_session_id);
        }
        if self.parent_tool_use_id.get().is_some() {
            self.is_sidechain = Flag(true);
            self.agent_id = std::mem::take(&mut self.parent_tool_use_id);
        }
        if let Some(metadata) = self.stream_compact_metadata.take().filter(|metadata| metadata.trigger.get().is_some())
        {
            let StreamCompactMetadata { trigger, pre_tokens } = *metadata;
            self.compact_metadata =
                Some(Box::new(CompactMetadata { trigger, pre_tokens, ..CompactMetadata::default() }));
        }
    }

    /// Returns whether the line adds a message to the conversation.
    pub(super) fn is_conversation(&self) -> bool {
        matches!(self.kind(), LineKind::User | LineKind::Assistant | LineKind::QueuedPrompt)
    }

    /// Returns whether the line records a change of the context by the harness.
    pub(super) fn is_harness_edit(&self) -> bool {
        matches!(self.kind(), LineKind::Compaction | LineKind::Clearing)
    }

    /// The compaction that the line records.
    pub(super) fn compaction(&self) -> Compaction {
        let Some(metadata) = &self.compact_metadata else { return Compaction::default() };
        let CompactMetadata { trigger, pre_tokens, post_tokens, .. } = metadata.as_ref();
        let [tokens, after] = [pre_tokens, post_tokens].map(|tokens| tokens.0.filter(|tokens| *tokens > 0));
        Compaction { automatic: trigger.as_str() == "auto", tokens, after }
    }

    /// What the compaction that the line records says of the messages that it kept.
    pub(super) fn kept_messages(&self) -> Option<(&KeptRecords<'_>, &KeptSegment<'_>)> {
        let metadata = self.compact_metadata.as_ref()?;
        Some((&metadata.preserved_messages, &metadata.preserved_segment))
    }

    /// The clearing that the line records.
    pub(super) fn cleared(&self) -> Cleared {
        let Some(metadata) = &self.microcompact_metadata else { return Cleared::default() };
        let MicrocompactMetadata { tokens_saved, compacted_tool_ids } = metadata.as_ref();
        let ids = compacted_tool_ids.0.iter().flatten().copied();
        let results = ids.filter_map(|id| id.parse::<Str<'_>>()?.non_empty()).collect();
        Cleared { results, tokens: tokens_saved.0 }
    }

    /// The recorded type, which is the skipped kind of the line.
    pub(super) fn type_name(&self) -> &str {
        self.kind.get().unwrap_or("record without a type")
    }

    /// Returns whether two lines have the same message.
    pub(super) fn has_same_message(&self, other: &Self) -> bool {
        let usage = |line: &Self| line.message.usage.map(Raw::get);
        self.kind == other.kind
            && usage(self) == usage(other)
            && self.message.content.is_same_text(&other.message.content)
    }
}
