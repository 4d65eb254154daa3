//! A message in its conversation: as it arrived, as it is now, and its size.

use std::sync::{Arc, OnceLock};

use foldhash::HashMap;
use smol_str::SmolStr;

use super::edit::{MessageId, PartId};
use super::message::{Body, Level, Message, Origin, Part, Role};
use super::{Arguments, Counter, GroupId};

/// The most parts of a message that are searched for a call one by one.
const FEW_PARTS: usize = 16;

/// A message in its conversation.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(super) id: MessageId,
    pub(super) group: GroupId,
    pub(super) role: Role,
    pub(super) tokens: u64,
    pub(super) tool: Option<SmolStr>,
    pub(super) message: Arc<Message>,
    /// The message as it arrived.
    recorded: Arc<Message>,
    /// The identities of the remaining parts, or `None` while no part has been removed.
    left: Option<Vec<PartId>>,
    /// The tokens of each remaining part, counted on first use.
    sizes: OnceLock<Vec<u64>>,
    /// If the message arrived with many parts, the last of its calls with each id; looked up on first use.
    calls: OnceLock<Box<CallPlaces>>,
}

/// For each id of a call, its position among the calls of its message, and the index of its part.
type CallPlaces = HashMap<SmolStr, (usize, usize)>;

impl Entry {
    pub(super) fn new(
        id: MessageId,
        group: GroupId,
        tokens: u64,
        tool: Option<SmolStr>,
        message: Arc<Message>,
    ) -> Self {
        let (role, recorded) = (message.role, Arc::clone(&message));
        Self {
            id,
            group,
            role,
            tokens,
            tool,
            message,
            recorded,
            left: None,
            sizes: OnceLock::new(),
            calls: OnceLock::new(),
        }
    }

    /// Whether it is a copy of a reply, which the recorded harness kept when it compacted.
    pub(super) fn is_kept_reply(&self) -> bool {
        self.role == Role::Assistant && self.message.kept
    }

    /// Whether it is a reply of the model. A message injected by a rule is none.
    pub(super) fn is_model_reply(&self) -> bool {
        self.message.is_reply() && self.message.origin != Origin::Injected
    }

    /// Whether the model wrote it: a reply, or a copy of one that the recorded harness kept when it compacted.
    pub fn is_by_model(&self) -> bool {
        self.message.origin == Origin::Recorded && (self.is_model_reply() || self.is_kept_reply())
    }

    /// Its identity.
    pub const fn id(&self) -> MessageId {
        self.id
    }

    /// The group that it belongs to.
    pub const fn group(&self) -> GroupId {
        self.group
    }

    /// Its role.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Its tokens by the counter with which it was added.
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// For a result, the tool that was called, or `None` if the call is unknown.
    pub fn tool(&self) -> Option<&SmolStr> {
        self.tool.as_ref()
    }

    /// The message after all edits.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The message as it is sent. Each edit replaces it with another one.
    pub const fn shared_message(&self) -> &Arc<Message> {
        &self.message
    }

    /// The message as it arrived, before any edit.
    pub fn recorded(&self) -> &Message {
        &self.recorded
    }

    /// The last of its calls with an id as it arrived: its position among them, tool and arguments. Without an id it is its
    /// only call.
    pub(super) fn call(&self, id: &str) -> Option<(usize, &SmolStr, &Arguments)> {
        let mut calls =
            self.recorded.calls().enumerate().map(|(at, (id, tool, arguments))| (id, (at, tool, arguments)));
        if id.is_empty() {
            let first = calls.next();
            return first.filter(|_| calls.next().is_none()).map(|(_, call)| call);
        }
        if self.recorded.parts.len() <= FEW_PARTS {
            return calls.filter(|(other, _)| *other == id).last().map(|(_, call)| call);
        }
        let (position, part) = *self.calls.get_or_init(|| Box::new(call_places(&self.recorded))).get(id)?;
        match &self.recorded.parts[part].body {
            Body::ToolCall { name, arguments, .. } => Some((position, name, arguments)),
            _ => None,
        }
    }

    /// A part as it arrived.
    pub fn recorded_part(&self, part: PartId) -> Option<&Part> {
        self.recorded.parts.get(usize::try_from(part.0).ok()?)
    }

    /// The text with which it arrived: that of its result, or all its texts together.
    pub fn arrived_text(&self) -> Arc<str> {
        let result = self.recorded.results().next().map(|result| Arc::clone(&result.text));
        result.unwrap_or_else(|| self.recorded.plain_text().into())
    }

    /// The message as it arrived, without a copy.
    pub const fn shared_recorded(&self) -> &Arc<Message> {
        &self.recorded
    }

    /// The remaining parts with their identities.
    pub fn parts(&self) -> impl Iterator<Item = (PartId, &Part)> {
        let ids = (0..self.message.parts.len()).map(|at| self.part_id(at));
        ids.zip(&self.message.parts)
    }

    /// The tokens of a part; 0 when it has been removed. The counter must be the one with which the message was added.
    pub fn part_tokens(&self, part: PartId, counter: &dyn Counter) -> u64 {
        let count = || self.message.parts.iter().map(|part| counter.body(&part.body)).collect();
        let Some(at) = self.position(part) else { return 0 };
        self.sizes.get_or_init(count).get(at).copied().unwrap_or(0)
    }

    /// Returns the position of a part, or `None` if it has been removed.
    pub(super) fn position(&self, part: PartId) -> Option<usize> {
        let at = match &self.left {
            Some(left) => left.binary_search(&part).ok()?,
            None => usize::try_from(part.0).ok()?,
        };
        (at < self.message.parts.len()).then_some(at)
    }

    /// Replaces the content of the part at a position, or removes it if there is none. `tokens` is its new size.
    pub(super) fn set_part(&mut self, at: usize, body: Option<Body>, level: Level, tokens: u64) {
        let parts = &mut Arc::make_mut(&mut self.message).parts;
        let sizes = self.sizes.get_mut();
        if let Some(body) = body {
            parts[at] = Part { body, level };
            if let Some(sizes) = sizes {
                sizes[at] = tokens;
            }
            return;
        }
        self.left.get_or_insert_with(|| (0u32..).map(PartId).take(parts.len()).collect()).remove(at);
        parts.remove(at);
        if let Some(sizes) = sizes {
            sizes.remove(at);
        }
    }

    fn part_id(&self, at: usize) -> PartId {
        let whole = || PartId(u32::try_from(at).unwrap_or(u32::MAX));
        self.left.as_ref().and_then(|left| left.get(at).copied()).unwrap_or_else(whole)
    }
}

fn call_places(message: &Message) -> CallPlaces {
    let calls = message.parts.iter().enumerate().filter_map(|(part, one)| match &one.body {
        Body::ToolCall { id, .. } => Some((id, part)),
        _ => None,
    });
    calls.enumerate().map(|(position, (id, part))| (id.clone(), (position, part))).collect()
}
