//! The size of the context: that of the last call, plus what was added since, minus what was removed.

use super::machine::Machine;
use super::message::{Message, Role};

/// The counted size of a request besides what every request holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RequestSize {
    pub(super) messages: u64,
    /// The tokens of the schemas of tools that are not offered.
    pub(super) hidden: u64,
    /// The tokens of invalid reasoning in the messages.
    pub(super) invalid: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) overhead: u64,
    /// The tokens of it that are messages which the recording lacks.
    pub(super) unrecorded: u64,
    /// The size of the last call, and of its request as counted.
    last: u64,
    counted: RequestSize,
    pub(super) reported: Option<u64>,
}

impl Sizes {
    pub(super) fn new(overhead: u64) -> Self {
        Self { overhead, unrecorded: 0, last: overhead, counted: RequestSize::default(), reported: None }
    }

    pub(super) fn restart(&mut self, overhead: u64) {
        *self = Self { reported: self.reported, ..Self::new(overhead) };
    }

    pub(super) const fn send(&mut self, tokens: u64, counted: RequestSize) {
        (self.last, self.counted) = (tokens, counted);
    }

    /// A reply with this recorded output is sent again. It has as many tokens, and four more, unless the output is less than
    /// half of what was counted, or more than twice that and the reply has no reasoning.
    pub(super) const fn correct(&mut self, counted: u64, output: u64, reasons: bool) {
        if output > 0 && output >= counted / 2 && (reasons || output <= 2 * counted) {
            self.last = (self.last + output + 4).saturating_sub(counted);
        }
    }

    /// What would be sent now. No context is smaller than what is sent besides the messages.
    pub(super) fn now(&self, counted: RequestSize) -> u64 {
        let more = self.last + counted.messages + self.counted.hidden + self.counted.invalid;
        let less = self.counted.messages + counted.hidden + counted.invalid;
        more.saturating_sub(less).max(self.overhead.saturating_sub(counted.hidden))
    }
}

/// The recorded context, without the edits of the policy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recorded {
    counted: u64,
    prompt: u64,
    pub(super) begun: bool,
    /// The size of the last call, and what was counted then.
    last: Option<(u64, u64)>,
    /// What of it has been recorded after a stop.
    prevented: u64,
}

impl Recorded {
    pub(super) fn add(&mut self, message: &Message, tokens: u64) {
        self.begun |= message.role != Role::System;
        self.counted += tokens;
        self.prompt += if self.begun { 0 } else { tokens };
    }

    pub(super) const fn reset(&mut self) {
        (self.counted, self.begun, self.last, self.prevented) = (self.prompt, false, None, 0);
    }

    /// Adds a message that the agent would not have had after a stop.
    pub(super) fn prevent(&mut self, message: &Message, tokens: u64) {
        self.add(message, tokens);
        self.prevented += tokens;
    }

    /// The size of a call under the policy, whose request is counted as `kept`, with a tool of `added` tokens that the recorded
    /// requests lack: the recorded input minus what the policy has taken away, or an estimate where there is none. A stop
    /// cannot keep more from happening than was sent besides the overhead.
    pub(super) fn call(
        &mut self,
        has_usage: bool,
        overhead: u64,
        usage: Option<u64>,
        (kept, added): (RequestSize, u64),
    ) -> u64 {
        let estimate = match self.last.filter(|_| has_usage) {
            Some((tokens, counted)) => (tokens + self.counted).saturating_sub(counted).max(overhead),
            None => overhead + self.counted,
        };
        let recorded = usage.filter(|usage| *usage >= overhead).unwrap_or(estimate);
        self.last = Some((recorded, self.counted));
        let unsent = self.prevented.saturating_sub(recorded.saturating_sub(overhead));
        let with = recorded + kept.messages + added + unsent;
        let without = with.saturating_sub(self.counted + kept.hidden + kept.invalid);
        without.max((overhead + added).saturating_sub(kept.hidden))
    }
}

impl Machine<'_> {
    /// The counted size of the next request.
    pub(super) fn request_size(&self) -> RequestSize {
        let messages = self.request_tokens();
        let hidden = self.agent.schemas.iter().filter(|(tool, _)| !self.views.offers(tool));
        RequestSize { messages, hidden: hidden.map(|(_, tokens)| tokens).sum(), invalid: self.invalid_tokens() }
    }

    /// `context.tokens`.
    pub(super) fn tokens(&self) -> u64 {
        self.sizes.now(self.request_size())
    }

    /// The system prompt, what is sent besides messages, and the rest, in tokens.
    pub(super) fn split(&self) -> (u64, u64, u64) {
        let total = self.tokens();
        let overhead = self.sizes.overhead.saturating_sub(self.sizes.unrecorded);
        let tools = overhead.saturating_sub(self.request_size().hidden).min(total);
        let prompt = self.prompt_tokens().min(total - tools);
        (prompt, tools, total - tools - prompt)
    }
}
