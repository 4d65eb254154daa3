//! Compares each request of a session with the previous one: the prefix that both share, the rule that caused the
//! difference, and the reasoning that becomes invalid.

use trimtab_base::conversation::{Conversation, Counter, Entry, MessageId, Receipt, Views};

use super::bound_reasoning::{BoundReasoning, ComparedRequest, END, Edits, InvalidReasoning, after, last_before};
use super::request_head::RequestHead;

/// The state with which the next request of a session is compared.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    previous: Option<Previous>,
    /// The number of messages at the beginning of the conversation that the previous request contained.
    sent: usize,
    /// The changes to the content of the previous request since it was sent: the index of the first changed message,
    /// and the rule that changed it, or `None` if the recorded harness did.
    changes: Vec<(usize, Option<usize>)>,
    /// The rule that made the newest view.
    view: Option<usize>,
    /// The rule that had made the newest view when the previous request was sent.
    previous_view: Option<usize>,
    comparison: Comparison,
    reasoning: BoundReasoning,
    /// The tokens of reasoning that would be invalid if a request were sent now.
    invalid: u64,
}

/// The previous request.
#[derive(Clone, Debug)]
struct Previous {
    /// The number of changes of the conversation before it.
    changes: usize,
    /// The number of its messages.
    messages: usize,
    /// The id of the first message after it.
    next: MessageId,
    head: RequestHead,
}

/// What a request has in common with the previous one. For the first request, all fields have their defaults.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each describes a different part")]
pub struct Comparison {
    /// Whether there is a previous request.
    pub has_previous: bool,
    /// The id of the first message that is newer than the previous request.
    pub next: MessageId,
    /// The number of messages at its beginning that have not changed since.
    pub unchanged: usize,
    /// Whether the first changed message has other content, but has not been removed or moved.
    pub keeps_first: bool,
    /// Whether the same tools are offered.
    pub same_tools: bool,
    /// Whether the system prompt is the same.
    pub same_prompt: bool,
    /// If the prompts differ, the number of recorded messages of the prompt before the first difference.
    pub same_prompt_messages: usize,
    /// If the prompts differ, the tokens that both have in common after those messages.
    pub same_prompt_tokens: u64,
    /// Whether views leave the beginning as it was: the tools, the system prompt and the first messages.
    pub same_start: bool,
    /// Whether the whole previous request is a prefix, except for messages that were sent only once.
    pub is_whole: bool,
    /// The rule that caused the difference, or `None` if no rule did.
    pub rule: Option<usize>,
    /// The tokens of reasoning that the previous request contained and that is invalid in this one.
    pub reasoning: u64,
}

impl Requests {
    /// The number of messages at the beginning of the conversation that the previous request contained. Edits of later
    /// messages change nothing that was sent.
    pub const fn messages(&self) -> usize {
        self.sent
    }

    /// The comparison of the last request with the one before.
    pub const fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    /// The reasoning of the replies so far. It is tracked only for models that bind it.
    pub const fn reasoning(&self) -> &BoundReasoning {
        &self.reasoning
    }

    /// The tokens of reasoning that would be invalid if a request were sent now.
    pub(super) const fn invalid(&self) -> u64 {
        self.invalid
    }

    /// Records the edits of a rule.
    pub(super) fn record_edits(&mut self, rule: usize, receipts: &[Receipt]) {
        let first = receipts.iter().map(|receipt| receipt.at).min();
        if let Some(first) = first.filter(|first| *first < self.sent) {
            self.record_change(first, Some(rule));
        }
    }

    /// Records that a rule, or the recorded harness, has changed the message at an index.
    pub(super) fn record_change(&mut self, at: usize, rule: Option<usize>) {
        self.changes.push((at, rule));
    }

    /// Records that a rule has made a view.
    pub(super) const fn record_view(&mut self, rule: usize) {
        self.view = Some(rule);
    }

    /// Records that the recorded harness has reset the context to the messages of this conversation.
    pub(super) fn reset(&mut self, conversation: &Conversation) {
        let next = self.previous.as_ref().map_or(MessageId(0), |previous| previous.next);
        self.sent = conversation.entries().iter().take_while(|entry| entry.id() < next).count();
        self.changes.clear();
    }

    /// Records a message that has arrived.
    pub(super) fn arrive(&mut self, entry: &Entry, counter: &dyn Counter) {
        self.reasoning.arrive(entry, counter);
    }

    /// Measures the reasoning that would be invalid if a request were sent now.
    pub(super) fn measure_invalid(&mut self, conversation: &Conversation, views: &Views, counter: &dyn Counter) {
        let Some(previous) = &self.previous else { return };
        let head = RequestHead::of(conversation, views);
        let comparison = self.compare(previous, &head, conversation, counter);
        let edits = edits(previous, &comparison, self.edited_by(comparison.unchanged), conversation);
        self.invalid = self.reasoning.invalid_if_sent(ComparedRequest { head: &head, edits, conversation, counter });
    }

    /// Records that a request is sent. `reasoning` is what happens to invalid reasoning, if the model binds it.
    pub(super) fn record_request(
        &mut self,
        (conversation, views): (&Conversation, &Views),
        counter: &dyn Counter,
        reasoning: Option<InvalidReasoning>,
    ) {
        let head = RequestHead::of(conversation, views);
        let has_transient_end = views.end_messages().next().is_some();
        let comparison = self.previous.as_ref().map(|previous| self.compare(previous, &head, conversation, counter));
        self.comparison = comparison.unwrap_or_default();
        let edited_by = self.edited_by(self.comparison.unchanged);
        self.previous_view = self.view;
        self.changes.clear();
        self.sent = conversation.entries().len();
        if reasoning.is_some() {
            let previous = self.previous.as_ref();
            let edits = previous.and_then(|previous| edits(previous, &self.comparison, edited_by, conversation));
            let request = ComparedRequest { head: &head, edits, conversation, counter };
            self.comparison.reasoning = self.reasoning.record_request(request, self.view, has_transient_end);
        }
        if reasoning == Some(InvalidReasoning::Leaves) {
            self.invalid = self.reasoning.invalid();
        }
        self.previous = Some(Previous {
            changes: conversation.changes_made(),
            messages: self.sent,
            next: conversation.next_id(),
            head,
        });
    }

    /// The rule that made the first edit of the content of the previous request. Edits of the `unchanged` messages at
    /// its beginning do not count, because they have been undone.
    fn edited_by(&self, unchanged: usize) -> Option<usize> {
        let remaining = self.changes.iter().filter(|(at, _)| *at >= unchanged);
        remaining.min_by_key(|(at, _)| at).and_then(|(_, rule)| *rule)
    }

    fn compare(
        &self,
        previous: &Previous,
        head: &RequestHead,
        conversation: &Conversation,
        counter: &dyn Counter,
    ) -> Comparison {
        let unchanged = conversation.unchanged_since_change(previous.changes).min(previous.messages);
        let same_tools = head.has_tools_of(&previous.head);
        let same_prompt = head.has_prompt_of(&previous.head, conversation);
        let (same_prompt_messages, same_prompt_tokens) = if same_prompt {
            (0, 0)
        } else {
            let messages = head.prompt_in_common(&previous.head, conversation);
            (messages, head.prompt_tokens_in_common(&previous.head, conversation, counter))
        };
        let same_start = same_tools && same_prompt && head.has_messages_of(&previous.head);
        let is_whole = same_start && unchanged == previous.messages;
        Comparison {
            has_previous: true,
            next: previous.next,
            unchanged,
            keeps_first: conversation.unmoved_since_change(previous.changes) > unchanged,
            same_tools,
            same_prompt,
            same_prompt_messages,
            same_prompt_tokens,
            same_start,
            is_whole,
            rule: match (same_start, is_whole) {
                (false, _) => self.view,
                (true, true) => self.previous_view,
                (true, false) => self.edited_by(unchanged),
            },
            reasoning: 0,
        }
    }
}

/// Returns the edits since the previous request, or `None` if there are none. `rule` is the rule of the first edit.
fn edits(
    previous: &Previous,
    comparison: &Comparison,
    rule: Option<usize>,
    conversation: &Conversation,
) -> Option<Edits> {
    let at = conversation.first_changed_since(previous.changes)?;
    let first_changed = last_before(conversation, at).map_or(MessageId(0), after);
    // A summary has no reasoning, and its id is newer than those of the messages after it.
    let entries = conversation.entries().get(at..).unwrap_or_default();
    let first_bound = match entries.iter().find(|entry| !entry.is_summary()).map(Entry::id) {
        Some(first) if at < previous.messages => {
            let has_only_changed = comparison.keeps_first && entries[0].id() == first;
            if has_only_changed { after(first) } else { first }
        }
        _ => END,
    };
    Some(Edits { first_bound, first_changed, rule })
}
