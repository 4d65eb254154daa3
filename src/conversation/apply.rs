//! Carrying out edits, or refusing them.

use std::collections::HashSet;
use std::sync::Arc;

use super::edit::{Edit, MessageId, Receipt};
use super::invariant::Watch;
use super::message::{Body, Level, Message, Role};
use super::{Conversation, Counter, Entry, GroupId};

impl Conversation {
    /// Carries out one edit. None when an invariant forbids it or nothing would change; the conversation is then as it was.
    pub fn apply(&mut self, edit: Edit, counter: &dyn Counter) -> Option<Receipt> {
        let watch = self.watched.then(|| Watch::before(self, &edit));
        let receipt = self.carry_out(edit, counter);
        if let Some(watch) = watch
            && receipt.is_some()
        {
            let broken = watch.after(self);
            self.broken.extend(broken);
        }
        receipt
    }

    fn carry_out(&mut self, edit: Edit, counter: &dyn Counter) -> Option<Receipt> {
        match edit {
            Edit::Reduce { message, part, body, level, errors } => {
                let at = self.index(message)?;
                self.reduce(at, part, body, level, errors, counter)
            }
            Edit::Condense { from, to, pins, summary } => {
                let stretch = self.index(from)?..=self.index(to)?;
                self.condense(&self.removable(stretch, &pins), *summary, counter)
            }
            Edit::Append(message) => self.append(*message, counter),
        }
    }

    fn reduce(
        &mut self,
        at: usize,
        part: usize,
        body: Option<Body>,
        level: Level,
        errors: bool,
        counter: &dyn Counter,
    ) -> Option<Receipt> {
        if !self.may_reduce(at, part, body.as_ref(), level, errors) {
            return None;
        }
        let entry = &mut self.entries[at];
        let before = entry.part_tokens(part, counter);
        entry.sizes.take();
        let parts = &mut Arc::make_mut(&mut entry.message).parts;
        let after = body.as_ref().map_or(0, |body| counter.body(body));
        match body {
            Some(body) => parts[part] = super::Part { body, level },
            None => drop(parts.remove(part)),
        }
        entry.tokens = entry.tokens.saturating_sub(before) + after;
        self.tokens = self.tokens.saturating_sub(before) + after;
        self.changes.note(at);
        Some(Receipt { message: entry.id, removed: 0, before, after })
    }

    /// Invariants 2 to 4 for the content of one part.
    fn may_reduce(&self, at: usize, part: usize, body: Option<&Body>, level: Level, errors: bool) -> bool {
        let message = self.entries[at].message();
        let Some(old) = message.parts.get(part) else { return false };
        let is_error = matches!(&old.body, Body::ToolResult(result) if result.is_error);
        let lives = matches!(old.body, Body::Thinking { .. }) && at >= self.loop_start();
        let shrinks = match body {
            Some(body) => body.chars() < old.body.chars(),
            None => message.parts.len() > 1 && old.body.chars() > 0,
        };
        old.level.may_become(level) && shrinks && (errors || !is_error) && !lives
    }

    /// The indices of a stretch that may go: no system prompt, no pins, no open calls, and whole groups only.
    pub(crate) fn removable(&self, stretch: std::ops::RangeInclusive<usize>, pins: &[MessageId]) -> Vec<usize> {
        let start = (*stretch.start()).max(self.prompt_len());
        let end = self.whole_groups_before(*stretch.end() + 1);
        let pinned = pins.iter().filter_map(|&pin| self.index(pin)).map(|at| &self.entries[at]);
        // No group lies on both sides of the end.
        let kept: HashSet<GroupId> = self.entries[..start].iter().chain(pinned).map(Entry::group).collect();
        let stays = |group: GroupId| kept.contains(&group) || self.is_open(group);
        (start..end).filter(|&at| !stays(self.entries[at].group)).collect()
    }

    /// Moves a boundary back until no group lies on both sides of it: keeps more, never less.
    pub fn whole_groups_before(&self, boundary: usize) -> usize {
        let (mut boundary, mut at) = (boundary.min(self.entries.len()), self.entries.len());
        while at > boundary {
            at -= 1;
            // A group is called after its first message.
            let Entry { id, group, .. } = &self.entries[at];
            if group.0 != id.0 {
                boundary = self.index(MessageId(group.0)).map_or(boundary, |first| first.min(boundary));
            }
        }
        boundary
    }

    /// Characters of the messages at these indices, as far as a model reads them.
    pub fn chars(&self, indices: &[usize]) -> usize {
        indices.iter().map(|&at| self.entries[at].message().chars()).sum()
    }

    fn condense(&mut self, removed: &[usize], summary: Message, counter: &dyn Counter) -> Option<Receipt> {
        let first = *removed.first()?;
        if summary.chars() == 0 || summary.chars() >= self.chars(removed) {
            return None;
        }
        let gone: HashSet<MessageId> = removed.iter().map(|&at| self.entries[at].id).collect();
        let groups: HashSet<GroupId> = removed.iter().map(|&at| self.entries[at].group).collect();
        let before = removed.iter().map(|&at| self.entries[at].tokens).sum();
        self.entries.retain(|entry| !gone.contains(&entry.id));
        self.unanswered.retain(|call| !groups.contains(&call.group));
        let after = counter.message(&summary);
        let id = self.place(first, Arc::new(summary), after);
        self.changes.note(first);
        self.recount();
        Some(Receipt { message: id, removed: removed.len(), before, after })
    }

    fn append(&mut self, message: Message, counter: &dyn Counter) -> Option<Receipt> {
        let first = self.entries.iter().all(|entry| entry.role == Role::System);
        if first && message.role == Role::Assistant {
            return None;
        }
        let after = counter.message(&message);
        let waits = self.is_pending();
        let id = if waits { MessageId(self.next) } else { self.add(Arc::new(message.clone()), after) };
        if waits {
            self.waiting.push(message);
        }
        Some(Receipt { message: id, removed: 0, before: 0, after })
    }
}

impl Level {
    /// Whether a part at this level may be taken to another: only further, and a trimmed part only by a smaller limit.
    pub const fn may_become(self, next: Self) -> bool {
        match (self, next) {
            (Self::Whole, Self::Trimmed { .. } | Self::Masked) | (Self::Trimmed { .. }, Self::Masked) => true,
            (Self::Trimmed { limit }, Self::Trimmed { limit: next }) => next < limit,
            _ => false,
        }
    }
}

impl Body {
    /// Characters as far as a model reads them; an image has those of its encoded data.
    pub fn chars(&self) -> usize {
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => text.chars().count(),
            Self::Image { bytes, .. } => usize::try_from(bytes / 3 * 4).unwrap_or(usize::MAX).max(256),
            Self::ToolCall { name, arguments, .. } => name.chars().count() + arguments.text().chars().count(),
            Self::ToolResult(result) => {
                result.text.chars().count() + result.attachments.iter().map(Self::chars).sum::<usize>()
            }
            Self::Other(json) => json.to_string().chars().count(),
        }
    }
}

impl Message {
    /// Characters of all its parts.
    pub fn chars(&self) -> usize {
        self.parts.iter().map(|part| part.body.chars()).sum()
    }
}
