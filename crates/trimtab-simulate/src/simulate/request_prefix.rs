//! Measures the tokens that a request has in common with the previous one, which the provider can read from its prompt cache.

use trimtab_base::conversation::{Conversation, MessageId, Views};
use trimtab_run::run::Comparison;

/// The ends of the requests of a replay so far, with which the next one is compared.
#[derive(Debug, Default)]
pub(super) struct RequestPrefixes {
    /// The numbers of messages at the ends of earlier requests that are still prefixes, ascending.
    ends: Vec<usize>,
}

/// The common beginning of a request and the previous one, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CommonPrefix {
    /// The longest common prefix, or `None` for the first request.
    pub(super) tokens: Option<u64>,
    /// The longest prefix that ends at a breakpoint of an earlier request, for a provider that looks back this far.
    pub(super) at_breakpoint: u64,
    /// The number of messages in that prefix.
    pub(super) breakpoint: usize,
    /// Whether the whole previous request is a prefix, except for messages that were sent only once.
    pub(super) is_whole: bool,
    /// Whether the longest prefix at a breakpoint ends at the one after the system prompt, or with the first request.
    pub(super) is_head: bool,
    /// The tokens of this request that the previous one had too, also after the first difference.
    pub(super) repeated: u64,
    /// The tokens of reasoning that the previous request contained and that is invalid in this one.
    pub(super) reasoning: u64,
    /// The number of messages at the beginning that have not changed.
    pub(super) unchanged: usize,
}

impl CommonPrefix {
    /// Combines two successive comparisons: what the first of three requests has in common with the third one.
    pub(super) fn and(self, next: &Self) -> Self {
        Self {
            tokens: self.tokens.zip(next.tokens).map(|(a, b)| a.min(b)),
            at_breakpoint: self.at_breakpoint.min(next.at_breakpoint),
            breakpoint: self.breakpoint.min(next.breakpoint),
            is_whole: self.is_whole && next.is_whole,
            is_head: if self.at_breakpoint <= next.at_breakpoint { self.is_head } else { next.is_head },
            repeated: self.repeated.min(next.repeated),
            reasoning: next.reasoning,
            unchanged: self.unchanged.min(next.unchanged),
        }
    }

    /// The prefix without some tokens that both requests contain.
    pub(super) fn without(&self, tokens: u64) -> Self {
        let less = |all: u64| all.saturating_sub(tokens);
        let (at_breakpoint, repeated) = (less(self.at_breakpoint), less(self.repeated));
        Self { tokens: self.tokens.map(less), at_breakpoint, repeated, ..*self }
    }

    /// The prefix if nothing in it had changed.
    pub(super) fn unbroken(&self) -> Self {
        let tokens = if self.is_whole { self.tokens } else { self.tokens.map(|common| common.max(self.repeated)) };
        let at_breakpoint = if self.is_whole { self.at_breakpoint } else { tokens.unwrap_or(0) };
        Self { tokens, at_breakpoint, is_whole: true, is_head: false, ..*self }
    }
}

impl RequestPrefixes {
    /// Measures a request, which has been compared with the previous one. `overhead` are the tokens that are sent before the
    /// messages, and `blocks` is how far the provider looks back.
    pub(super) fn next(
        &mut self,
        (conversation, views): (&Conversation, &Views),
        comparison: &Comparison,
        overhead: u64,
        blocks: usize,
    ) -> CommonPrefix {
        let Comparison { unchanged, same_tools, same_prompt, same_start, is_whole, .. } = *comparison;
        if !comparison.has_previous {
            self.ends.push(conversation.entries().len());
            return CommonPrefix::default();
        }
        let overhead = overhead.saturating_sub(views.size(conversation).hidden_tools);
        let head = overhead.saturating_add(views.prompt_tokens(conversation));
        let prompt = conversation.prompt_len();
        while self.ends.pop_if(|end| *end > unchanged).is_some() {}
        let pinned = views.pinned(conversation);
        let up_to = |at: usize| {
            let first = views.first_retained(conversation).min(at);
            let sent = conversation.tokens_before(at).saturating_sub(conversation.tokens_before(prompt.min(at)));
            head.saturating_add(sent).saturating_sub(views.tokens_not_retained(conversation, first, &pinned))
        };
        let mut is_head = false;
        let (tokens, at_breakpoint, breakpoint) = match (same_tools, same_prompt, same_start) {
            (false, ..) => (0, 0, 0),
            // The first breakpoint is after the system prompt.
            (_, false, _) => {
                let messages = conversation.tokens_before(comparison.same_prompt_messages.min(prompt));
                let common = messages.saturating_add(comparison.same_prompt_tokens);
                (overhead.saturating_add(common.min(views.prompt_tokens(conversation))), 0, 0)
            }
            (.., false) => {
                is_head = true;
                (head, head, prompt)
            }
            _ if is_whole => (up_to(unchanged), up_to(unchanged), unchanged),
            _ => {
                let end = self.ends.last().copied().filter(|end| reaches(conversation, *end, blocks));
                // Before the end of the first request, a client may send what the recording does not show.
                is_head = end.is_none() || self.ends.len() == 1;
                (up_to(unchanged), end.map_or(head, up_to), end.unwrap_or(prompt))
            }
        };
        self.ends.push(conversation.entries().len());
        let from = if same_start { unchanged } else { prompt.min(unchanged) };
        let mut common = CommonPrefix {
            tokens: Some(tokens),
            at_breakpoint,
            breakpoint,
            is_whole,
            is_head,
            reasoning: comparison.reasoning,
            unchanged: from,
            ..CommonPrefix::default()
        };
        if !is_whole {
            let again = repeated(conversation, (unchanged.max(views.first_retained(conversation)), comparison.next));
            common.repeated = up_to(unchanged).saturating_add(again);
        }
        common
    }
}

/// The tokens that a request repeats from an index on: of messages with an id before `next`.
fn repeated(conversation: &Conversation, (from, next): (usize, MessageId)) -> u64 {
    let entries = conversation.entries();
    let new = entries.iter().rev().take_while(|entry| entry.id() >= next).count();
    let end = entries.len() - new;
    // A summary is newer than what follows it.
    let first = (from..end).find(|at| entries[*at].id() < next);
    first.map_or(0, |first| conversation.tokens_before(end).saturating_sub(conversation.tokens_before(first)))
}

/// Whether the messages from an index on have at most this many content blocks.
fn reaches(conversation: &Conversation, from: usize, mut blocks: usize) -> bool {
    conversation.entries()[from..].iter().all(|entry| {
        let left = blocks.checked_sub(entry.message().parts.len());
        blocks = left.unwrap_or(0);
        left.is_some()
    })
}
