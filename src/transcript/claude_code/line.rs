//! One line of a session.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::conversation::{Cleared, Compaction};
use crate::transcript::wire::{self, Content, Count, Flag, List, Str};

/// What a line is to the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the model was told: by a person, a harness or tools.
    User,
    /// A part of a reply, or all of it.
    Assistant,
    /// The harness compacted here.
    Boundary,
    /// The harness cleared tool results here.
    Clearing,
    /// A prompt that was typed while the model worked, and was put into the open loop here.
    Queued,
    /// A wrapper around a record of a sub-agent, which is read as a line of its own.
    Wrapper,
    /// A reply that no model wrote.
    Synthetic,
    /// Shown to people, not to the model.
    ForReaders,
    /// Anything else.
    Other,
}

/// A line; of its message only the head is read here.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(borrow)]
    pub(super) subtype: Str<'a>,
    #[serde(borrow)]
    pub(super) uuid: Str<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Str<'a>,
    #[serde(borrow)]
    pub(super) logical_parent_uuid: Str<'a>,
    #[serde(borrow)]
    pub(super) session_id: Str<'a>,
    #[serde(borrow)]
    pub(super) agent_id: Str<'a>,
    #[serde(borrow)]
    pub(super) request_id: Str<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Str<'a>,
    pub(super) is_sidechain: Flag,
    pub(super) is_meta: Flag,
    pub(super) is_compact_summary: Flag,
    pub(super) is_visible_in_transcript_only: Flag,
    pub(super) is_api_error_message: Flag,
    #[serde(borrow, deserialize_with = "wire::lenient")]
    pub(super) message: Head<'a>,
    #[serde(borrow)]
    pub(super) operation: Str<'a>,
    /// What a queue operation puts into the queue.
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow, deserialize_with = "wire::lenient")]
    pub(super) attachment: Attachment<'a>,
    #[serde(borrow, deserialize_with = "wire::lenient")]
    data: Progress<'a>,
    /// Whether the record takes a prompt out of the queue that stands nowhere else.
    #[serde(skip)]
    pub(super) is_queued: bool,
    #[serde(borrow, deserialize_with = "wire::lenient")]
    compact_metadata: CompactMetadata<'a>,
    #[serde(borrow, deserialize_with = "wire::lenient")]
    microcompact_metadata: MicrocompactMetadata<'a>,
}

/// What a harness attaches to the next request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(borrow)]
    pub(super) prompt: Content<'a>,
}

/// What a progress record says.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Progress<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(borrow)]
    agent_id: Str<'a>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CompactMetadata<'a> {
    #[serde(borrow)]
    trigger: Str<'a>,
    pre_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MicrocompactMetadata<'a> {
    tokens_saved: Count,
    #[serde(borrow)]
    compacted_tool_ids: List<'a>,
}

/// The fields of a message, its content unread.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    role: Str<'a>,
    #[serde(borrow)]
    pub(super) model: Str<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

impl Line<'_> {
    /// What the line is to the conversation.
    pub(super) fn kind(&self) -> Kind {
        let role = if self.kind.get().is_none() { &self.message.role } else { &self.kind };
        match role.word() {
            "user" if self.is_visible_in_transcript_only.0 && !self.is_compact_summary.0 => Kind::ForReaders,
            "user" => Kind::User,
            "assistant" if self.is_api_error_message.0 || self.message.model.word() == "<synthetic>" => Kind::Synthetic,
            "assistant" => Kind::Assistant,
            "system" if self.subtype.word() == "compact_boundary" => Kind::Boundary,
            "system" if self.subtype.word() == "microcompact_boundary" => Kind::Clearing,
            "queue-operation" if self.is_queued => Kind::Queued,
            "attachment" if self.attachment.kind.word() == "queued_command" => Kind::Queued,
            "progress" if self.wraps() => Kind::Wrapper,
            _ => Kind::Other,
        }
    }

    fn wraps(&self) -> bool {
        self.data.kind.word() == "agent_progress" && self.data.message.is_some()
    }

    /// The record of a sub-agent that a progress record wraps.
    pub(super) fn wrapped(&self) -> Option<Self> {
        let mut line: Self = self.data.message.filter(|_| self.kind() == Kind::Wrapper).and_then(wire::object)?;
        line.is_sidechain = Flag(true);
        line.agent_id.clone_from(&self.data.agent_id);
        line.session_id.clone_from(&self.session_id);
        Some(line)
    }

    /// Whether it says something in the conversation.
    pub(super) fn is_conversation(&self) -> bool {
        matches!(self.kind(), Kind::User | Kind::Assistant | Kind::Queued)
    }

    /// Whether the harness changed its context here.
    pub(super) fn is_harness_edit(&self) -> bool {
        matches!(self.kind(), Kind::Boundary | Kind::Clearing)
    }

    /// What a compaction says of itself.
    pub(super) fn compaction(&self) -> Compaction {
        let CompactMetadata { trigger, pre_tokens } = &self.compact_metadata;
        Compaction { automatic: trigger.word() == "auto", tokens: pre_tokens.0.filter(|tokens| *tokens > 0) }
    }

    /// The results that the harness cleared.
    pub(super) fn cleared(&self) -> Cleared {
        let MicrocompactMetadata { tokens_saved, compacted_tool_ids } = &self.microcompact_metadata;
        let ids = compacted_tool_ids.0.iter().flatten().copied();
        let results = ids.filter_map(|id| wire::parse::<Str<'_>>(id)?.name()).collect();
        Cleared { results, tokens: tokens_saved.0 }
    }

    /// What its kind is counted under.
    pub(super) fn label(&self) -> &str {
        self.kind.get().unwrap_or("record without a type")
    }

    /// Whether two lines have the same message.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let usage = |line: &Self| line.message.usage.map(RawValue::get);
        self.kind == other.kind && usage(self) == usage(other) && self.message.content.same(&other.message.content)
    }
}
