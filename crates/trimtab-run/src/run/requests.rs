//! The requests of a session: what the next one has in common with the previous one, which rule has changed it, and which
//! reasoning that makes invalid.

use trimtab_base::conversation::{Conversation, Counter, Entry, MessageId, Receipt, Views};

use super::bound_reasoning::{BoundReasoning, ComparedRequest, END, Edits, InvalidReasoning, after, last_before};
use super::request_head::RequestHead;

/// The requests of a session so far, as far as the next one is compared with them.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    previous: Option<Previous>,
    /// How many messages from the start the conversation still has of the previous request.
    sent: usize,
    /// The first change since the previous request of something that it contains: the index, and the rule; no rule if the
    /// recorded harness changed it.
    earliest: Option<(usize, Option<usize>)>,
    /// The last rule that made a view.
    view: Option<usize>,
    /// The last rule that had made a view when the previous request was sent.
    previous_view: Option<usize>,
    comparison: Comparison,
    reasoning: BoundReasoning,
    /// The tokens that would be invalid if a request were sent now.
    invalid: u64,
}

/// The previous request.
#[derive(Clone, Debug)]
struct Previous {
    changes: usize,
    messages: usize,
    next: MessageId,
    head: RequestHead,
}

/// What a request has in common with the previous one. The first request has nothing in common with any.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is about a part of its own")]
pub struct Comparison {
    /// Whether there is a previous request.
    pub has_previous: bool,
    /// The message that would have been the next then.
    pub next: MessageId,
    /// How many of its messages have not changed since.
    pub unchanged: usize,
    /// Whether the first message after them has only changed itself.
    pub keeps_first: bool,
    /// Whether the same tools are offered.
    pub same_tools: bool,
    /// Whether the system prompt is the same.
    pub same_prompt: bool,
    /// How many of its recorded messages are unchanged before the first that differs, if it is not the same.
    pub same_prompt_messages: usize,
    /// The tokens that both prompts have in common after those messages.
    pub same_prompt_tokens: u64,
    /// Whether views make nothing different before the end.
    pub same_start: bool,
    /// Whether the previous request is a prefix as a whole, but for messages that were sent once.
    pub is_whole: bool,
    /// The rule that has changed what both contain.
    pub rule: Option<usize>,
    /// The tokens of reasoning that the previous request contained and that is invalid in this one.
    pub reasoning: u64,
}

impl Requests {
    /// How many messages from the start the previous request contained. Edits at later ones change nothing that was sent.
    pub const fn messages(&self) -> usize {
        self.sent
    }

    /// The comparison of the last request with the one before.
    pub const fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    /// The reasoning of the replies so far. It is followed only for models that bind it.
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
        if self.earliest.is_none_or(|(earliest, _)| at < earliest) {
            self.earliest = Some((at, rule));
        }
    }

    /// Records that a rule has made a view.
    pub(super) const fn record_view(&mut self, rule: usize) {
        self.view = Some(rule);
    }

    /// Records that the recorded harness has emptied the context except for these messages.
    pub(super) fn reset(&mut self, conversation: &Conversation) {
        let next = self.previous.as_ref().map_or(MessageId(0), |previous| previous.next);
        self.sent = conversation.entries().iter().take_while(|entry| entry.id() < next).count();
        self.earliest = None;
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
        let edits = edits(previous, &comparison, self.edited_by(), conversation);
        self.invalid = self.reasoning.invalid_if_sent(ComparedRequest { head: &head, edits, conversation, counter });
    }

    /// Records that a request is sent. `reasoning` is what becomes of invalid reasoning, if the model binds it.
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
        let edited_by = self.edited_by();
        self.previous_view = self.view;
        self.earliest = None;
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

    /// The rule that has made the first edit of what the previous request contained.
    fn edited_by(&self) -> Option<usize> {
        self.earliest.and_then(|(_, rule)| rule)
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
                (true, false) => self.edited_by(),
            },
            reasoning: 0,
        }
    }
}

/// The edits since the previous request, if there are any. `rule` is that of the first one.
fn edits(
    previous: &Previous,
    comparison: &Comparison,
    rule: Option<usize>,
    conversation: &Conversation,
) -> Option<Edits> {
    let at = conversation.first_changed_since(previous.changes)?;
    let first_changed = last_before(conversation, at).map_or(MessageId(0), after);
    // A summary has no reasoning, and a newer id than what follows it.
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
