//! Applies edits and skips invalid ones.

use std::sync::Arc;

use super::edit::{Change, Edit, MessageId, PartId, Receipt};
use super::invariant::InvariantCheck;
use super::message::{Body, Level, Message, Part, Role, ToolResult};
use super::{Conversation, Counter};

impl Conversation {
    /// Applies edits in order and returns a receipt for each one made. An edit that would violate an invariant or change
    /// nothing is skipped.
    pub fn apply(&mut self, edits: Vec<Edit>, counter: &dyn Counter) -> Vec<Receipt> {
        let check = self.checks_invariants.then(|| InvariantCheck::before(self, &edits));
        let mut receipts = Vec::with_capacity(edits.len());
        for edit in edits {
            let removed = self.removed_by(&edit);
            if let Some(receipt) = self.apply_one(edit, counter) {
                self.log(receipt, removed);
                receipts.push(receipt);
            }
        }
        if let Some(check) = check {
            let violations = check.after(self);
            self.violations.extend(violations);
        }
        receipts
    }

    fn apply_one(&mut self, edit: Edit, counter: &dyn Counter) -> Option<Receipt> {
        match edit {
            Edit::Reduce { message, part, body, level, errors } => {
                let at = self.index(message)?;
                self.reduce(at, part, body, level, errors, counter)
            }
            Edit::Restore { message, part } => self.restore(message, part, counter),
            Edit::Summarise { messages, summary } => self.summarise(&messages, *summary, counter),
            Edit::Remove { messages } => self.remove(&messages),
            Edit::Append(message) => self.append(*message, counter),
        }
    }

    fn reduce(
        &mut self,
        at: usize,
        part: PartId,
        body: Option<Body>,
        level: Level,
        may_reduce_errors: bool,
        counter: &dyn Counter,
    ) -> Option<Receipt> {
        if !self.may_reduce(at, part, body.as_ref(), level, may_reduce_errors) {
            return None;
        }
        if level == Level::Offloaded {
            self.keep_offloaded(at);
        }
        let entry = &mut self.entries[at];
        let position = entry.position(part)?;
        let before = entry.part_tokens(part, counter);
        let after = body.as_ref().map_or(0, |body| counter.body(body));
        let message = entry.id;
        self.changes.record_reduction(at, (message, part), body.as_ref());
        entry.set_part(position, body, level, after);
        let old = entry.tokens;
        entry.tokens = old.saturating_sub(before) + after;
        self.replace_size(at, old);
        self.tokens = self.tokens.saturating_sub(before) + after;
        Some(Receipt { message, at, change: Change::Reduced(part), before, after })
    }

    fn restore(&mut self, message: MessageId, part: PartId, counter: &dyn Counter) -> Option<Receipt> {
        let at = self.index(message)?;
        let entry = &mut self.entries[at];
        let position = entry.position(part)?;
        let recorded = entry.recorded_part(part)?.body.clone();
        if !matches!(recorded, Body::ToolResult(_)) || entry.message.parts[position].body == recorded {
            return None;
        }
        let (before, after) = (entry.part_tokens(part, counter), counter.body(&recorded));
        self.changes.record_restoration(at, (message, part), entry.message.parts[position].body.clone());
        entry.set_part(position, Some(recorded), Level::Whole, after);
        let old = entry.tokens;
        entry.tokens = old.saturating_sub(before) + after;
        self.replace_size(at, old);
        self.tokens = self.tokens.saturating_sub(before) + after;
        Some(Receipt { message, at, change: Change::Restored(part), before, after })
    }

    /// Protects a part, so that no edit changes or removes it.
    pub fn protect(&mut self, message: MessageId, part: PartId) {
        self.protected.insert((message, part));
    }

    /// Ends the protection of a part.
    pub fn unprotect(&mut self, message: MessageId, part: PartId) {
        if self.protected.remove(&(message, part))
            && let Some(at) = self.index(message)
        {
            // Searches that skipped the part must examine it again.
            self.changes.search_again(at);
        }
    }

    /// Whether any part is protected.
    pub fn has_protected_parts(&self) -> bool {
        !self.protected.is_empty()
    }

    /// Whether a part is protected.
    pub fn is_protected(&self, message: MessageId, part: PartId) -> bool {
        self.protected.contains(&(message, part))
    }

    /// Whether a part of the message at an index may be replaced with this content, or removed if there is none.
    pub fn may_reduce(
        &self,
        at: usize,
        part: PartId,
        body: Option<&Body>,
        level: Level,
        may_reduce_errors: bool,
    ) -> bool {
        let entry = &self.entries[at];
        if self.is_protected(entry.id, part) {
            return false;
        }
        let Some(old) = entry.position(part).map(|part| &entry.message.parts[part]) else { return false };
        let is_error = matches!(&old.body, Body::ToolResult(result) if result.is_error);
        let is_open_reasoning = || matches!(old.body, Body::Thinking { .. }) && at >= self.loop_start();
        let shrinks = || match body {
            Some(body) => body.chars() < old.body.chars(),
            None => old.body.is_sent() && entry.message.can_lose(&old.body),
        };
        let advances = || {
            old.level.may_become(level)
                || old.level == level && body.is_some_and(|body| body.differs_only_in_attachments(&old.body))
        };
        (may_reduce_errors || !is_error)
            && old.body.may_become(body)
            && advances()
            && !is_open_reasoning()
            && !self.belongs_to_request(at, &old.body)
            && shrinks()
    }

    /// The characters of the messages at these indices that a model reads.
    pub fn chars(&self, indices: &[usize]) -> usize {
        indices.iter().map(|&at| self.entries[at].message().chars()).sum()
    }

    /// Whether the messages at these indices have more characters than `limit`. Counting stops as soon as that is known.
    pub fn exceed_chars(&self, indices: &[usize], limit: usize) -> bool {
        let mut chars = indices.iter().map(|&at| self.entries[at].message().chars());
        let mut left = Some(limit);
        chars.any(|chars| {
            left = left.and_then(|left| left.checked_sub(chars));
            left.is_none()
        })
    }

    fn summarise(&mut self, messages: &[MessageId], summary: Message, counter: &dyn Counter) -> Option<Receipt> {
        let removed = self.whole_groups(messages)?;
        let first = *removed.first()?;
        if summary.chars() == 0 || !self.exceed_chars(&removed, summary.chars()) {
            return None;
        }
        let first = self.place_of_summary(first, &removed);
        let after = counter.message(&summary);
        // The messages after a summary do not move when another one takes its place.
        if removed[0] == first && self.entries[first].is_summary() {
            return Some(self.replace_summary(&removed, summary, after));
        }
        let before = self.take_out(&removed);
        let id = self.place(first, Arc::new(summary), after);
        self.changes.record_move(first);
        self.recount(first, (self.tokens + after).saturating_sub(before));
        Some(Receipt { message: id, at: first, change: Change::Summarised(removed.len()), before, after })
    }

    /// Replaces messages with a summary. The first one is an older summary, whose place the new one takes.
    fn replace_summary(&mut self, removed: &[usize], summary: Message, after: u64) -> Receipt {
        let (at, rest) = (removed[0], &removed[1..]);
        let old = self.entries[at].tokens;
        let before = old + self.take_out(rest);
        self.removed.push(self.entries[at].id);
        self.entries[at] = self.entry(Arc::new(summary), after);
        self.count_new_summary(at, old);
        self.changes.record_edit(at);
        let tokens = (self.tokens + after).saturating_sub(before);
        match rest.first() {
            Some(from) => {
                self.changes.record_move(*from);
                self.recount(*from, tokens);
            }
            None => self.tokens = tokens,
        }
        Receipt { message: self.entries[at].id, at, change: Change::Summarised(removed.len()), before, after }
    }

    /// The index for the summary of these messages: `first`, the index of the first of them, or before a call that the
    /// summary would separate from its result.
    fn place_of_summary(&self, first: usize, removed: &[usize]) -> usize {
        let is_result = |at: &usize| self.entries[*at].role == Role::Tool;
        let results = (0..first).rev().take_while(is_result).count();
        let Some(call) = (first - results).checked_sub(1) else { return first };
        let belongs = |at: usize| self.entries[at].group == self.entries[call].group;
        let mut following = (first..self.entries.len()).take_while(is_result);
        if following.any(|at| belongs(at) && removed.binary_search(&at).is_err()) { call } else { first }
    }

    fn append(&mut self, message: Message, counter: &dyn Counter) -> Option<Receipt> {
        let has_only_system_messages = self.entries[self.prompt_len()..].iter().all(|entry| entry.role == Role::System);
        if has_only_system_messages && message.role == Role::Assistant {
            return None;
        }
        let after = counter.message(&message);
        let (at, is_deferred) = (self.entries.len(), self.is_pending() || !self.deferred.is_empty());
        let id = if is_deferred { MessageId(self.next) } else { self.add(Arc::new(message.clone()), after) };
        if is_deferred {
            self.deferred.push(message);
        }
        Some(Receipt { message: id, at, change: Change::Appended, before: 0, after })
    }
}

impl Level {
    /// Whether a placeholder replaces the content.
    pub const fn is_replaced(self) -> bool {
        matches!(self, Self::Masked | Self::Offloaded)
    }

    /// Whether a part at this level may be reduced to another: only to a higher level, or by a smaller limit.
    pub const fn may_become(self, next: Self) -> bool {
        match (self, next) {
            (Self::Whole, Self::Trimmed { .. } | Self::Masked | Self::Offloaded)
            | (Self::Trimmed { .. }, Self::Masked | Self::Offloaded) => true,
            (Self::Trimmed { limit }, Self::Trimmed { limit: next }) => next < limit,
            _ => false,
        }
    }
}

impl Body {
    /// Whether a request contains anything of it. Reasoning can be encrypted and have no text.
    fn is_sent(&self) -> bool {
        let is_encrypted = matches!(self, Self::Thinking { signature: Some(signature), .. } if !signature.is_empty());
        is_encrypted || self.chars() > 0
    }

    /// The characters that a model reads; for an image, those of its encoded data.
    pub fn chars(&self) -> usize {
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => text.chars().count(),
            // At most a tebibyte, so that sums do not overflow.
            Self::Image { bytes, .. } => usize::try_from((*bytes).min(1 << 40) / 3 * 4).unwrap_or(usize::MAX).max(256),
            Self::ToolCall { name, arguments, .. } => name.chars().count() + arguments.chars(),
            Self::ToolResult(result) => {
                result.text.chars().count() + result.attachments.iter().map(Self::chars).sum::<usize>()
            }
            Self::Other(json) => json.to_string().chars().count(),
        }
    }
}

impl Body {
    /// A copy with another text: the text of a result, or a text part.
    #[must_use]
    pub fn with_text(&self, text: impl Into<Arc<str>>) -> Self {
        match self {
            Self::ToolResult(result) => {
                Self::ToolResult(Box::new(ToolResult { text: text.into(), ..result.as_ref().clone() }))
            }
            _ => Self::Text(text.into()),
        }
    }

    /// Whether it may be replaced with this content, or removed if there is none. A call must remain a call of its tool,
    /// a result the result of its call.
    fn may_become(&self, new: Option<&Self>) -> bool {
        match (self, new) {
            (Self::ToolCall { id, name, .. }, Some(Self::ToolCall { id: new, name: tool, .. })) => {
                id == new && name == tool
            }
            (Self::ToolResult(old), Some(Self::ToolResult(new))) => old.id == new.id && old.is_error == new.is_error,
            // Providers reject blank texts.
            (Self::Text(_), Some(Self::Text(new))) => !new.trim().is_empty(),
            (Self::ToolCall { .. } | Self::ToolResult(_), _)
            | (_, Some(Self::ToolCall { .. } | Self::ToolResult(_))) => false,
            _ => true,
        }
    }

    /// Whether two results have the same text but different attachments.
    fn differs_only_in_attachments(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::ToolResult(a), Self::ToolResult(b)) => a.text == b.text && a.attachments != b.attachments,
            _ => false,
        }
    }
}

impl Message {
    /// Whether it can be sent without the parts of this kind. Providers reject a message without content, and reasoning
    /// that is no longer followed by what the model wrote after it.
    fn can_lose(&self, body: &Body) -> bool {
        let kind = std::mem::discriminant(body);
        let stays = |part: &Part| std::mem::discriminant(&part.body) != kind && part.body.chars() > 0;
        let is_followed = |reasoning: usize| {
            let after = &self.parts[reasoning + 1..];
            after.iter().any(stays) || after.iter().all(|part| part.body.chars() == 0)
        };
        let reasoning = self.parts.iter().rposition(|part| matches!(part.body, Body::Thinking { .. }));
        let reasoning_stays_followed = matches!(body, Body::Thinking { .. }) || reasoning.is_none_or(is_followed);
        reasoning_stays_followed && self.parts.iter().any(stays)
    }

    /// The characters of all parts.
    pub fn chars(&self) -> usize {
        self.parts.iter().map(|part| part.body.chars()).sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::conversation::{Arguments, Bytes, Conversation, Edit, Message, Origin, Part, Role};

    #[test]
    fn calls_of_an_older_reply_stay_abandoned_when_the_newest_one_is_removed() {
        let mut conversation = Conversation::default();
        conversation.push(Message::text(Role::User, "a question"), &Bytes);
        let call = Part::call("a", "ls", Arguments::Text("{}".into()));
        conversation.push(Message::new(Role::Assistant, vec![call]), &Bytes);
        conversation.abandon_open_calls(&Bytes);
        let (reply, _) = conversation.push(Message::text(Role::Assistant, "an answer"), &Bytes);
        assert_eq!(conversation.apply(vec![Edit::Remove { messages: vec![reply] }], &Bytes).len(), 1);
        assert!(!conversation.is_pending());
        let hint = Message { origin: Origin::Injected, ..Message::text(Role::User, "a hint") };
        conversation.apply(vec![Edit::Append(Box::new(hint))], &Bytes);
        conversation.push(Message::text(Role::User, "another question"), &Bytes);
        let texts: Vec<_> = conversation.entries().iter().map(|entry| entry.message().plain_text()).collect();
        assert_eq!(texts[2..], ["a hint", "another question"]);
    }
}
