//! The replies in the recorded context, with the tokens that the provider counted.

use trimtab_base::conversation::{Body, Counter, Message, Role};
use trimtab_base::quantity::{Decimal, whole};
use trimtab_model::model::ContextSize;
use trimtab_recordings::transcript::Transcript;

/// The tokens of a message by the uncalibrated estimate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) tokens: u64,
    /// Tokens of its thinking.
    pub(super) thinking: u64,
}

impl Count {
    pub(super) fn of(message: &Message, counter: &dyn Counter) -> Self {
        let thinking = message.parts.iter().filter(|part| matches!(part.body, Body::Thinking { .. }));
        let thinking = thinking.map(|part| counter.body(&part.body)).sum();
        Self { tokens: counter.message(message), thinking }
    }
}

/// The replies in a context whose tokens are known, and reasoning that is not sent again.
#[derive(Clone, Debug)]
pub(super) struct Replies {
    /// Those that the context will keep.
    kept: Sums,
    /// Those since a person last wrote.
    turn: Sums,
    /// The usual number of tokens for a counted token.
    factor: Decimal,
    /// Whether the provider drops the reasoning of earlier turns.
    drops_reasoning: bool,
    /// Whether recorded sizes are those of other requests, since a policy edited them.
    is_live: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Counted tokens that are not those of the request.
    replaced: u64,
    /// The tokens that the provider counted instead.
    known: u64,
    /// Counted tokens of reasoning.
    thinking: u64,
}

impl Replies {
    /// The replies before the first message. `factor` is the usual number of tokens for a counted token.
    pub(super) fn of(transcript: &Transcript, factor: Decimal, drops_reasoning: bool) -> Self {
        Self {
            kept: Sums::default(),
            turn: Sums::default(),
            factor,
            drops_reasoning,
            is_live: transcript.live.is_some(),
        }
    }

    /// Records that the context has been emptied.
    pub(super) fn reset(&mut self) {
        (self.kept, self.turn) = (Sums::default(), Sums::default());
    }

    /// Adds a message.
    pub(super) fn add(&mut self, message: &Message, count: Count) {
        if message.role == Role::User && !message.harness {
            self.begin_turn();
        }
        if !message.is_reply() || self.is_live {
            return;
        }
        self.turn.thinking += count.thinking;
        let counted = whole(Decimal::from(count.tokens) * self.factor);
        let known = message.reply_tokens(counted);
        if known != counted {
            self.turn.replaced += count.tokens;
            self.turn.known = self.turn.known.saturating_add(known);
        }
    }

    /// Of a reply whose reasoning is dropped, the counted tokens of the rest are the best evidence.
    fn begin_turn(&mut self) {
        let Sums { replaced, known, thinking } = std::mem::take(&mut self.turn);
        let (replaced, known) = if self.drops_reasoning { (thinking, 0) } else { (replaced, known) };
        self.kept.replaced += replaced;
        self.kept.known = self.kept.known.saturating_add(known);
    }

    /// The size of a context with these counted tokens.
    pub(super) fn size(&self, counted: u64) -> ContextSize {
        ContextSize {
            counted: counted.saturating_sub(self.kept.replaced + self.turn.replaced),
            known: self.kept.known.saturating_add(self.turn.known),
        }
    }
}
