//! What a request has in common with the previous one, which decides what the provider reads from its prompt cache and
//! which reasoning stays valid.

use std::sync::Arc;

use smol_str::SmolStr;

use super::bound_reasoning::BoundReasoning;
use crate::conversation::{Conversation, Counter, Mark, MessageId, SentPrompt, Views};

/// The requests of a replay so far, as far as the next one is compared with them.
#[derive(Debug, Default)]
pub(super) struct Requests {
    previous: Option<Previous>,
    /// The tokens of the messages before each index of the conversation.
    sums: Vec<u64>,
    /// The numbers of messages at the ends of earlier requests that are still prefixes, ascending.
    ends: Vec<usize>,
    pub(super) reasoning: BoundReasoning,
    /// How many messages from the start the conversation still has of the previous request.
    sent: usize,
}

/// The previous request.
#[derive(Debug)]
struct Previous {
    mark: Mark,
    messages: usize,
    /// The message that would have been the next.
    next: MessageId,
    hidden_tools: Arc<[SmolStr]>,
    prompt: SentPrompt,
    retained: Option<MessageId>,
    pinned: Vec<MessageId>,
    /// Whether views added messages at its end, which later requests do not contain.
    has_passing_end: bool,
}

/// The common beginning of a request and the previous one, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CommonPrefix {
    /// The longest common prefix; none for the first request.
    pub(super) tokens: Option<u64>,
    /// The longest prefix that ends at a breakpoint of an earlier request, for a provider that looks back this far.
    pub(super) at_breakpoint: u64,
    /// The number of messages in that prefix.
    pub(super) breakpoint: usize,
    /// Whether the previous request is a prefix as a whole, but for messages that were sent once.
    pub(super) is_whole: bool,
    /// Whether a view makes it differ: other tools, another system prompt or another first message.
    pub(super) by_view: bool,
    /// The tokens of messages that the previous request had and that this one has behind the common prefix.
    pub(super) repeated: u64,
    /// The tokens of reasoning that is invalid from this request on.
    pub(super) reasoning: u64,
    /// The number of messages that have not changed.
    pub(super) unchanged: usize,
}

impl CommonPrefix {
    /// The same if nothing in it had changed.
    pub(super) fn unbroken(&self) -> Self {
        let tokens =
            if self.is_whole { self.tokens } else { self.tokens.map(|common| common.saturating_add(self.repeated)) };
        let at_breakpoint = if self.is_whole { self.at_breakpoint } else { tokens.unwrap_or(0) };
        Self { tokens, at_breakpoint, is_whole: true, ..*self }
    }
}

impl Requests {
    /// The number of messages of the previous request; edits at later ones change nothing that has been sent.
    pub(super) const fn messages(&self) -> usize {
        self.sent
    }

    /// Takes in that the recorded harness has emptied the context but for these messages.
    pub(super) fn reset(&mut self, conversation: &Conversation) {
        let next = self.previous.as_ref().map_or(MessageId(0), |previous| previous.next);
        self.sent = conversation.entries().iter().take_while(|entry| entry.id() < next).count();
    }

    /// Compares a request with the previous one, whose place it takes. `overhead` are the tokens that are sent before the
    /// messages, and `blocks` is how far the provider looks back.
    pub(super) fn next(
        &mut self,
        (conversation, views): (&Conversation, &Views),
        overhead: u64,
        (blocks, counter): (usize, &dyn Counter),
    ) -> CommonPrefix {
        let now = Previous {
            mark: conversation.mark(),
            messages: conversation.entries().len(),
            next: conversation.next_id(),
            hidden_tools: Arc::clone(views.hidden_tools()),
            prompt: views.sent_prompt(conversation),
            retained: views.retained(conversation),
            pinned: views.pinned(conversation),
            has_passing_end: views.end_messages().next().is_some(),
        };
        self.sent = now.messages;
        let Some(previous) = self.previous.replace(now) else {
            self.follow(conversation, (0, MessageId(0)));
            self.ends.push(conversation.entries().len());
            return CommonPrefix::default();
        };
        let now = self.previous.as_ref().unwrap_or(&previous);
        let unchanged = conversation.unchanged_since(&previous.mark).min(previous.messages);
        let overhead = overhead.saturating_sub(views.size(conversation).hidden_tools);
        let head = overhead.saturating_add(views.prompt_tokens(conversation));
        let prompt = conversation.prompt_len();
        let (same_tools, same_prompt) =
            (now.hidden_tools == previous.hidden_tools, now.prompt.is_same(&previous.prompt, conversation));
        let same_messages = now.retained == previous.retained && now.pinned == previous.pinned;
        let same_start = same_tools && same_prompt && same_messages;
        let is_whole = same_start && unchanged == previous.messages;
        self.follow(conversation, (unchanged, previous.next));
        while self.ends.pop_if(|end| *end > unchanged).is_some() {}
        let up_to = |at: usize| {
            let first = views.first_retained(conversation).min(at);
            let sent = self.sums[at].saturating_sub(self.sums[prompt.min(at)]);
            head.saturating_add(sent).saturating_sub(views.tokens_not_retained(conversation, first, views.pins()))
        };
        let (tokens, at_breakpoint, breakpoint) = match (same_tools, same_prompt, same_start) {
            (false, ..) => (0, 0, 0),
            (_, false, _) => (overhead, overhead, 0),
            (.., false) => (head, head, prompt),
            _ if is_whole => (up_to(unchanged), up_to(unchanged), unchanged),
            _ => {
                let end = self.ends.last().copied().filter(|end| reaches(conversation, *end, blocks));
                (up_to(unchanged), end.map_or(head, up_to), end.unwrap_or(prompt))
            }
        };
        self.ends.push(conversation.entries().len());
        let from = if same_start { unchanged } else { prompt.min(unchanged) };
        let keeps_first = same_start && conversation.unmoved_since(&previous.mark) > unchanged;
        let mut common = CommonPrefix {
            tokens: Some(tokens),
            at_breakpoint,
            breakpoint,
            is_whole,
            by_view: !same_start,
            unchanged: from,
            ..CommonPrefix::default()
        };
        let mut bound = previous.has_passing_end.then_some(previous.next);
        if !is_whole {
            let from = from.max(views.first_retained(conversation));
            self.count_repeated(&mut common, conversation, (from, previous.next));
            bound = first_behind(conversation, from, keeps_first && from == unchanged).or(bound);
        }
        if let Some(first) = bound {
            common.reasoning = self.reasoning.invalidate(conversation, first, counter);
        }
        common
    }

    /// Takes in the messages from an index on, of which those from an id on are new.
    fn follow(&mut self, conversation: &Conversation, (unchanged, next): (usize, MessageId)) {
        self.sums.truncate(unchanged + 1);
        if self.sums.is_empty() {
            self.sums.push(0);
        }
        let mut sum = self.sums.last().copied().unwrap_or(0);
        for entry in conversation.entries().iter().skip(self.sums.len() - 1) {
            sum += entry.tokens();
            self.sums.push(sum);
        }
        self.reasoning.arrive(conversation, next);
    }

    /// Counts what the request repeats from an index on: messages with an id before `next`.
    fn count_repeated(&self, common: &mut CommonPrefix, conversation: &Conversation, (from, next): (usize, MessageId)) {
        let entries = conversation.entries();
        let new = entries.iter().rev().take_while(|entry| entry.id() >= next).count();
        let end = entries.len() - new;
        // A summary is newer than what follows it.
        if let Some(from) = (from..end).find(|at| entries[*at].id() < next) {
            common.repeated = self.sums[end].saturating_sub(self.sums[from]);
        }
    }
}

/// The least id of a message whose reasoning is bound to a change at an index. The reasoning of a message that has only
/// changed itself is not: it is bound to the messages before it.
fn first_behind(conversation: &Conversation, at: usize, keeps_first: bool) -> Option<MessageId> {
    // A summary has no reasoning, and a newer id than what follows it.
    let entry = conversation.entries().get(at..)?.iter().find(|entry| !entry.is_summary())?;
    let keeps_first = keeps_first && conversation.entries().get(at).is_some_and(|first| first.id() == entry.id());
    Some(MessageId(entry.id().0.saturating_add(u32::from(keeps_first))))
}

/// Whether the messages from an index on have at most this many content blocks.
fn reaches(conversation: &Conversation, from: usize, mut blocks: usize) -> bool {
    conversation.entries()[from..].iter().all(|entry| {
        let left = blocks.checked_sub(entry.message().parts.len());
        blocks = left.unwrap_or(0);
        left.is_some()
    })
}
