//! Tracks which reasoning is invalid in the next request, for providers that bind reasoning to everything before it.
//!
//! Edits invalidate reasoning permanently. Views invalidate it only in requests that begin differently from the request
//! that it answers.

mod front;

use foldhash::HashMap;
use trimtab_base::conversation::{Body, Conversation, Counter, Entry, MessageId};

use self::front::FrontItem;
use super::request_head::RequestHead;

/// What happens to invalid reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidReasoning {
    /// It stays in the context.
    Stays,
    /// It leaves the context.
    Leaves,
}

/// The reasoning of one message.
#[derive(Clone, Copy, Debug)]
struct Item {
    message: MessageId,
    tokens: u64,
    /// The group of the request that it answers.
    group: usize,
    /// The tokens of this and of all before it.
    sum: u64,
}

/// The reasoning of messages, in their order.
#[derive(Clone, Debug, Default)]
struct Tally(Vec<Item>);

impl Tally {
    fn push(&mut self, message: MessageId, tokens: u64, group: usize) {
        self.0.push(Item { message, tokens, group, sum: self.total() + tokens });
    }

    fn total(&self) -> u64 {
        self.0.last().map_or(0, |last| last.sum)
    }

    /// The number of items before a message.
    fn place(&self, message: MessageId) -> usize {
        self.0.partition_point(|item| item.message < message)
    }

    /// The tokens of the items before a message.
    fn before(&self, message: MessageId) -> u64 {
        self.place(message).checked_sub(1).map_or(0, |last| self.0[last].sum)
    }

    /// The tokens of the items from `first` up to, not including, `end`.
    fn between(&self, first: MessageId, end: MessageId) -> u64 {
        self.before(end).saturating_sub(self.before(first))
    }

    /// The items from a message on.
    fn from(&self, message: MessageId) -> &[Item] {
        &self.0[self.place(message)..]
    }

    /// Removes the items from a message on, and returns them.
    fn split_off(&mut self, message: MessageId) -> Vec<Item> {
        self.0.split_off(self.place(message))
    }

    fn get(&self, message: MessageId) -> Option<&Item> {
        self.0.get(self.place(message)).filter(|item| item.message == message)
    }

    fn contains(&self, message: MessageId) -> bool {
        self.get(message).is_some()
    }
}

/// Reasoning that answers requests which begin in the same way.
#[derive(Clone, Debug)]
struct Group {
    /// The head of these requests, or `None` if they ended in transient messages, so that no later request begins with
    /// them.
    head: Option<RequestHead>,
    /// The rule whose view these requests had.
    rule: Option<usize>,
    members: Tally,
}

/// Edits since the previous request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edits {
    /// The first message after an edit of the content of the previous request.
    pub(super) first_bound: MessageId,
    /// The first message that may have changed or been removed.
    pub(super) first_changed: MessageId,
    /// The rule that has made the first edit, or `None` for the recorded harness.
    pub(super) rule: Option<usize>,
}

/// What is compared of a request.
#[derive(Clone, Copy)]
pub(super) struct ComparedRequest<'a> {
    pub(super) head: &'a RequestHead,
    pub(super) edits: Option<Edits>,
    pub(super) conversation: &'a Conversation,
    pub(super) counter: &'a dyn Counter,
}

/// The reasoning of the replies so far.
#[derive(Clone, Debug, Default)]
pub struct BoundReasoning {
    /// Reasoning before which no edit has changed anything.
    unedited: Tally,
    /// Unedited reasoning by the head of the request that it answers. The first group is that of requests without views.
    groups: Vec<Group>,
    by_head: HashMap<u64, Vec<usize>>,
    /// For each rule, the tokens of unedited reasoning that answers requests with a view of that rule.
    with_views: Vec<u64>,
    /// The reasoning that edits have invalidated, by the rule of the edit.
    lost: Vec<Tally>,
    /// The group of requests that begin like the last one.
    last_group: usize,
    /// The group of the reply to the last request.
    reply_group: usize,
    /// The rule whose view the last request has.
    last_view: Option<usize>,
    /// The first message that the last request contains after the system prompt, apart from pinned ones.
    first_sent: MessageId,
    /// The invalid reasoning of pinned messages before it.
    front: Vec<FrontItem>,
}

impl BoundReasoning {
    /// Records a message that has arrived. Rules cannot invalidate the reasoning of messages that the recorded harness
    /// kept when it compacted, because the harness has removed what that reasoning answers.
    pub(super) fn arrive(&mut self, entry: &Entry, counter: &dyn Counter) {
        if !self.groups.is_empty() && has_reasoning(entry) && !entry.message().kept {
            self.add(entry.id(), tokens_of(entry, counter), self.reply_group);
        }
    }

    /// Records the next request, and returns the tokens of reasoning in the previous request that this one makes
    /// invalid. `view` is the rule whose view the request has. No later request begins with a request that ends in
    /// transient messages, because only that request contains them.
    pub(super) fn record_request(
        &mut self,
        request: ComparedRequest<'_>,
        view: Option<usize>,
        has_transient_end: bool,
    ) -> u64 {
        let first = request.head.first;
        let is_first_request = self.groups.is_empty();
        if is_first_request {
            let plain = RequestHead::plain(request.conversation);
            self.group_with(plain, None, request.conversation);
        }
        let (last_group, reply_group) = (self.last_group, self.reply_group);
        let front = self.front_of(request);
        let pinned = self.newly_invalid(&front);
        let edited = request.edits.map_or(0, |edits| self.follow_edits(request, edits, first));
        self.last_group = self.group_with(request.head.clone(), view, request.conversation);
        self.reply_group = if has_transient_end { self.add_group(None, view) } else { self.last_group };
        (self.last_view, self.first_sent, self.front) = (view, first, front);
        if is_first_request {
            return 0;
        }
        let left = |group: usize| self.groups[group].members.between(first, END);
        let other_head = if last_group == self.last_group { 0 } else { left(last_group) };
        let transient = if reply_group == last_group { 0 } else { left(reply_group) };
        edited + pinned + other_head + transient
    }

    /// The tokens that would be invalid if this request were sent now.
    pub(super) fn invalid_if_sent(&self, request: ComparedRequest<'_>) -> u64 {
        let ComparedRequest { head, edits, conversation, counter } = request;
        let group = self.find(head, conversation);
        let first = head.first;
        let front: u64 = self.front_of(request).iter().map(|item| item.tokens).sum();
        let Some(edits) = edits else { return front + self.invalid_between(group, first, END) };
        let changed = edits.first_changed;
        let tokens = |item: &Item| tokens_in(conversation, item.message, counter).unwrap_or(0);
        let is_sent = |item: &&Item| item.message >= first;
        let is_invalid = |item: &&Item| {
            if item.message < edits.first_bound { Some(item.group) != group } else { edits.rule.is_some() }
        };
        let unedited = self.unedited.from(changed).iter().filter(is_sent).filter(is_invalid).map(tokens).sum::<u64>();
        let lost = self.lost.iter().flat_map(|lost| lost.from(changed)).filter(is_sent).map(tokens).sum::<u64>();
        front + self.invalid_between(group, first, changed) + unedited + lost
    }

    /// The invalid tokens of the last request.
    pub(super) fn invalid(&self) -> u64 {
        let front: u64 = self.front.iter().map(|item| item.tokens).sum();
        front + self.invalid_between(Some(self.last_group), self.first_sent, END)
    }

    /// The invalid tokens of the last request before an index of the conversation.
    pub fn invalid_before(&self, conversation: &Conversation, at: usize) -> u64 {
        let end = last_before(conversation, at).map_or(MessageId(0), after);
        let front = self.front.iter().filter(|item| item.message < end).map(|item| item.tokens);
        front.sum::<u64>() + self.invalid_between(Some(self.last_group), self.first_sent, end)
    }

    /// The invalid tokens of the last request by the index of the rule that has invalidated them.
    pub fn invalid_by_rule(&self) -> Vec<u64> {
        let mut by_rule: Vec<u64> = self.lost.iter().map(|lost| lost.between(self.first_sent, END)).collect();
        let mut add = |rule: usize, tokens: u64| {
            by_rule.resize(by_rule.len().max(rule + 1), 0);
            by_rule[rule] += tokens;
        };
        if self.last_group == PLAIN {
            self.with_views.iter().enumerate().for_each(|(rule, tokens)| add(rule, *tokens));
        } else if let Some(rule) = self.last_view {
            add(rule, self.under_other_heads(Some(self.last_group), self.first_sent, END));
        }
        for item in &self.front {
            if let Some(rule) = item.edited_by.or(self.last_view) {
                add(rule, item.tokens);
            }
        }
        by_rule
    }

    /// Whether the last request has no invalid reasoning, not even reasoning without tokens.
    pub fn is_valid(&self) -> bool {
        let sent = |tally: &Tally| tally.from(self.first_sent).len();
        let like = self.groups.get(self.last_group).map_or(0, |group| sent(&group.members));
        self.front.is_empty() && self.lost.iter().all(|lost| sent(lost) == 0) && sent(&self.unedited) == like
    }

    /// Whether the reasoning of a message is invalid in the last request.
    pub fn is_invalid(&self, message: MessageId) -> bool {
        if message < self.first_sent {
            return self.front.iter().any(|item| item.message == message);
        }
        let has_other_head =
            || self.unedited.contains(message) && !self.groups[self.last_group].members.contains(message);
        self.lost.iter().any(|lost| lost.contains(message)) || has_other_head()
    }

    /// The invalid tokens from `first` up to, not including, `end`, in requests that begin like those of a group.
    fn invalid_between(&self, group: Option<usize>, first: MessageId, end: MessageId) -> u64 {
        self.under_other_heads(group, first, end) + self.lost.iter().map(|lost| lost.between(first, end)).sum::<u64>()
    }

    /// The tokens of unedited reasoning in this range that answers requests with another head than those of the group.
    fn under_other_heads(&self, group: Option<usize>, first: MessageId, end: MessageId) -> u64 {
        let like = group.and_then(|group| self.groups.get(group)).map_or(0, |group| group.members.between(first, end));
        self.unedited.between(first, end).saturating_sub(like)
    }

    /// Moves reasoning that edits make invalid to `lost`, and counts reasoning that edits may have changed again.
    /// Returns the tokens from `first` on that have become invalid.
    fn follow_edits(&mut self, request: ComparedRequest<'_>, edits: Edits, first: MessageId) -> u64 {
        let ComparedRequest { conversation, counter, .. } = request;
        let changed = edits.first_changed;
        let mut lost: Vec<(usize, Item)> = Vec::new();
        for (rule, tally) in self.lost.iter_mut().enumerate() {
            lost.extend(tally.split_off(changed).into_iter().map(|item| (rule, item)));
        }
        let mut newly = 0;
        for item in self.remove_from(changed) {
            let Some(tokens) = tokens_in(conversation, item.message, counter) else { continue };
            if item.message < edits.first_bound {
                self.add(item.message, tokens, item.group);
                continue;
            }
            let was_valid = item.group == self.last_group || item.group == self.reply_group;
            newly += if was_valid && item.message >= first { tokens } else { 0 };
            lost.extend(edits.rule.map(|rule| (rule, item)));
        }
        lost.sort_unstable_by_key(|(_, item)| item.message);
        for (rule, item) in lost {
            let Some(tokens) = tokens_in(conversation, item.message, counter) else { continue };
            self.lost.resize_with(self.lost.len().max(rule + 1), Tally::default);
            self.lost[rule].push(item.message, tokens, item.group);
        }
        newly
    }

    fn add(&mut self, message: MessageId, tokens: u64, group: usize) {
        self.unedited.push(message, tokens, group);
        self.groups[group].members.push(message, tokens, group);
        self.count_view(group, |sum| sum + tokens);
    }

    /// Removes the unedited reasoning from a message on, and returns it.
    fn remove_from(&mut self, message: MessageId) -> Vec<Item> {
        let removed = self.unedited.split_off(message);
        for item in &removed {
            self.groups[item.group].members.split_off(message);
            self.count_view(item.group, |sum| sum.saturating_sub(item.tokens));
        }
        removed
    }

    /// Changes the tokens that answer requests with a view of the rule of a group.
    fn count_view(&mut self, group: usize, change: impl Fn(u64) -> u64) {
        if let Some(rule) = self.groups[group].rule.filter(|_| group != PLAIN) {
            self.with_views.resize(self.with_views.len().max(rule + 1), 0);
            self.with_views[rule] = change(self.with_views[rule]);
        }
    }

    /// The group of requests that begin in this way, if there is one.
    fn find(&self, head: &RequestHead, conversation: &Conversation) -> Option<usize> {
        let is_same = |group: usize| {
            self.groups.get(group)?.head.as_ref().filter(|other| other.is_same(head, conversation)).map(|_| group)
        };
        let with_same_key = || self.by_head.get(&head.key())?.iter().rev().find_map(|group| is_same(*group));
        is_same(self.last_group).or_else(with_same_key)
    }

    fn group_with(&mut self, head: RequestHead, view: Option<usize>, conversation: &Conversation) -> usize {
        self.find(&head, conversation).unwrap_or_else(|| {
            self.by_head.entry(head.key()).or_default().push(self.groups.len());
            self.add_group(Some(head), view)
        })
    }

    fn add_group(&mut self, head: Option<RequestHead>, rule: Option<usize>) -> usize {
        self.groups.push(Group { head, rule, members: Tally::default() });
        self.groups.len() - 1
    }
}

/// The group of requests without views.
const PLAIN: usize = 0;

/// After all messages.
pub(super) const END: MessageId = MessageId(u32::MAX);

pub(super) const fn after(message: MessageId) -> MessageId {
    MessageId(message.0.saturating_add(1))
}

/// The last message before an index that is not a summary.
pub(super) fn last_before(conversation: &Conversation, at: usize) -> Option<MessageId> {
    conversation.entries().iter().take(at).rev().find(|entry| !entry.is_summary()).map(Entry::id)
}

/// Returns the tokens of a message's reasoning, or `None` if an edit has removed the message or its reasoning.
fn tokens_in(conversation: &Conversation, message: MessageId, counter: &dyn Counter) -> Option<u64> {
    let entry = &conversation.entries()[conversation.index(message)?];
    has_reasoning(entry).then(|| tokens_of(entry, counter))
}

fn tokens_of(entry: &Entry, counter: &dyn Counter) -> u64 {
    let reasoning = entry.parts().filter(|(_, part)| matches!(part.body, Body::Thinking { .. }));
    reasoning.map(|(part, _)| entry.part_tokens(part, counter)).sum()
}

/// Whether a message has reasoning.
fn has_reasoning(entry: &Entry) -> bool {
    entry.message().parts.iter().any(|part| matches!(part.body, Body::Thinking { .. }))
}
