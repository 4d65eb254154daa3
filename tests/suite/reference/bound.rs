//! Reasoning that a provider binds to everything before it.

use super::machine::Machine;
use super::message::Message;

/// A model that binds reasoning.
pub(super) const BINDING_MODEL: &str = "claude-fable-5-1";

/// How a request begins: the tools that it does not offer, the system prompt, and what it leaves out.
#[derive(Clone, Debug, PartialEq)]
struct Head {
    hidden: Vec<String>,
    prompt: Vec<Message>,
    first: Option<u64>,
    pinned: Vec<u64>,
}

/// What a reply answers.
#[derive(Clone, Debug)]
struct Answered {
    /// How the request begins; none if it had messages at its end that no other request has.
    head: Option<Head>,
    /// The conversation then, also what the request left out.
    kept: Vec<(u64, Message)>,
    /// The messages that the request had after the system prompt.
    sent: Vec<u64>,
}

/// A reply with reasoning.
#[derive(Clone, Debug)]
struct Reasoning {
    id: u64,
    answered: Answered,
    /// Whether a request was sent before which a rule had changed something that the reply answers.
    is_lost: bool,
}

/// The reasoning of the replies so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    request: Option<Answered>,
    replies: Vec<Reasoning>,
}

impl Machine<'_> {
    fn head(&self) -> Head {
        let first = self.first_sent();
        let leaves_out = self.views.retained.is_some();
        Head {
            hidden: self.agent.tools.iter().filter(|tool| !self.views.offers(tool)).cloned().collect(),
            prompt: self.sent_prompt(),
            first: self.kept.get(first).filter(|_| leaves_out).map(|entry| entry.id),
            pinned: (0..first)
                .filter(|&at| self.is_retained(at, self.views.retained.as_ref()))
                .map(|at| self.kept[at].id)
                .collect(),
        }
    }

    /// Whether the messages before one are those of the request that it answers.
    fn is_edited(&self, at: usize, reasoning: &Reasoning) -> bool {
        let now = self.kept[..at].iter().map(|entry| (entry.id, &entry.message));
        !now.eq(reasoning.answered.kept.iter().map(|(id, message)| (*id, message)))
    }

    /// The tokens of reasoning in the next request that is invalid in it.
    pub(super) fn invalid_tokens(&self) -> u64 {
        if self.bound.replies.is_empty() {
            return 0;
        }
        let head = self.head();
        let sent: Vec<usize> = self.sent_history().collect();
        let at = |id: u64| sent.iter().copied().find(|&at| self.kept[at].id == id);
        let first = self.first_sent();
        let of = |reasoning: &Reasoning| {
            let at = at(reasoning.id)?;
            let answered = reasoning.answered.head.as_ref();
            // What stands before the retained messages has the same before it or not, whatever is retained.
            let is_same_front = |answered: &Head| {
                let before = sent.iter().take_while(|&&before| before < at).map(|&before| self.kept[before].id);
                answered.hidden == head.hidden
                    && answered.prompt == head.prompt
                    && before.eq(reasoning.answered.sent.iter().copied())
            };
            let is_other = if at < first { !answered.is_some_and(is_same_front) } else { answered != Some(&head) };
            let thoughts = self.kept[at].message.parts.iter().filter(|part| part.body.is_thinking());
            let tokens: u64 = thoughts.map(|part| self.counter.body(&part.body)).sum();
            (reasoning.is_lost || is_other || self.is_edited(at, reasoning)).then_some(tokens)
        };
        self.bound.replies.iter().filter_map(of).sum()
    }

    /// Records a request that is sent.
    pub(super) fn note_request(&mut self) {
        if !self.agent.binds_reasoning {
            return;
        }
        let place = |id: u64| self.kept.iter().position(|entry| entry.id == id);
        let lost = |reasoning: &Reasoning| place(reasoning.id).is_some_and(|at| self.is_edited(at, reasoning));
        let lost: Vec<bool> = self.bound.replies.iter().map(lost).collect();
        for (reasoning, is_lost) in self.bound.replies.iter_mut().zip(lost) {
            reasoning.is_lost |= is_lost;
        }
        let head = self.end_additions().is_empty().then(|| self.head());
        let kept = self.kept.iter().map(|entry| (entry.id, entry.message.clone())).collect();
        let sent = self.sent_history().map(|at| self.kept[at].id).collect();
        self.bound.request = Some(Answered { head, kept, sent });
    }

    /// Records the newest message, which is the reply to the last request.
    pub(super) fn note_reasoning(&mut self) {
        if let (Some(entry), Some(answered)) = (self.kept.last(), self.bound.request.clone())
            && entry.message.parts.iter().any(|part| part.body.is_thinking())
        {
            self.bound.replies.push(Reasoning { id: entry.id, answered, is_lost: false });
        }
    }
}
