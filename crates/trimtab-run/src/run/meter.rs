//! The size of the context: the size at the last call plus what has been added and removed since.

use trimtab_base::conversation::RequestSize;

/// The size of the context at the last call, and the size of the conversation at that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// Tokens sent besides the messages. The context is never smaller.
    overhead: u64,
    tokens: u64,
    counted: RequestSize,
    reported: Option<u64>,
}

impl Meter {
    /// A meter before the first call. `overhead` are the tokens sent besides the messages, such as those of tool schemas.
    pub const fn new(overhead: u64) -> Self {
        Self { overhead, tokens: overhead, counted: NOTHING, reported: None }
    }

    /// Records a call with a context of `tokens`, whose request was counted as `counted`. The size counts as reported
    /// if `is_reported` is true or an earlier size was: a host that reports sizes may miss some, and these are
    /// estimated.
    pub const fn record_call(&mut self, tokens: u64, counted: RequestSize, is_reported: bool) {
        self.record_request(tokens, counted);
        if is_reported || self.reported.is_some() {
            self.reported = Some(tokens);
        }
    }

    /// Corrects the size of a message that was counted as `counted` and has `known` tokens for the provider.
    pub const fn correct(&mut self, counted: u64, known: u64) {
        self.tokens = self.tokens.saturating_add(known).saturating_sub(counted);
    }

    /// Sets the tokens sent besides the messages from the next call on.
    pub const fn set_overhead(&mut self, overhead: u64) {
        self.overhead = overhead;
    }

    /// Records that a call with a context of `tokens` is about to be made. [`Meter::reported`] does not change.
    pub const fn record_request(&mut self, tokens: u64, counted: RequestSize) {
        (self.tokens, self.counted) = (tokens, counted);
    }

    /// Starts over after the host has emptied the conversation.
    pub const fn restart(&mut self, overhead: u64) {
        (self.overhead, self.tokens, self.counted) = (overhead, overhead, NOTHING);
    }

    /// The size of the context if it were sent now, for a request that is counted as `counted`.
    pub const fn current(&self, counted: RequestSize) -> u64 {
        let added = self.tokens.saturating_add(counted.messages).saturating_add(self.counted.missing());
        let current = added.saturating_sub(self.counted.messages.saturating_add(counted.missing()));
        let least = self.overhead.saturating_sub(counted.hidden_tools);
        if current < least { least } else { current }
    }

    /// The tokens sent besides the messages.
    pub const fn overhead(&self) -> u64 {
        self.overhead
    }

    /// Returns the size of the context at the last call, or `None` before a reply has reported its size.
    pub const fn reported(&self) -> Option<u64> {
        self.reported
    }
}

const NOTHING: RequestSize = RequestSize { messages: 0, hidden_tools: 0, invalid_reasoning: 0 };

#[cfg(test)]
mod tests {
    use super::*;

    const fn of(messages: u64) -> RequestSize {
        RequestSize { messages, ..NOTHING }
    }

    #[test]
    fn the_live_size_follows_the_conversation_but_the_reported_size_does_not() {
        let mut meter = Meter::new(100);
        assert_eq!((meter.current(of(50)), meter.reported()), (150, None));
        meter.record_call(170, of(50), true);
        assert_eq!((meter.current(of(80)), meter.reported()), (200, Some(170)));
        assert_eq!((meter.current(of(10)), meter.reported()), (130, Some(170)));
    }

    #[test]
    fn a_message_has_as_many_tokens_as_the_provider_counts() {
        let mut meter = Meter::new(100);
        meter.record_call(170, of(50), true);
        meter.correct(20, 90);
        assert_eq!((meter.current(of(70)), meter.reported()), (260, Some(170)));
    }

    #[test]
    fn the_context_is_never_smaller_than_the_overhead() {
        let mut meter = Meter::new(100);
        meter.record_call(120, of(50), true);
        assert_eq!(meter.current(of(0)), 100);
        meter.restart(300);
        assert_eq!(meter.current(of(0)), 300);
    }

    #[test]
    fn hidden_tools_make_the_context_smaller_while_they_are_hidden() {
        let mut meter = Meter::new(100);
        let hidden = RequestSize { messages: 10, hidden_tools: 40, ..NOTHING };
        assert_eq!((meter.current(of(10)), meter.current(hidden)), (110, 70));
        meter.record_call(70, hidden, true);
        assert_eq!((meter.current(of(10)), meter.current(hidden)), (110, 70));
        let less = RequestSize { hidden_tools: 40, ..NOTHING };
        assert_eq!(meter.current(less), 60);
    }

    #[test]
    fn invalid_reasoning_makes_the_context_smaller() {
        let mut meter = Meter::new(100);
        let invalid = |messages, invalid_reasoning| RequestSize { messages, invalid_reasoning, ..NOTHING };
        assert_eq!(meter.current(invalid(50, 20)), 130);
        meter.record_call(135, invalid(50, 20), true);
        assert_eq!((meter.current(invalid(60, 20)), meter.current(invalid(60, 30))), (145, 135));
        assert_eq!((meter.current(invalid(40, 0)), meter.current(invalid(0, 0))), (145, 105));
    }

    #[test]
    fn nothing_is_reported_before_a_reply_has_reported_its_size() {
        let mut meter = Meter::new(100);
        meter.record_call(120, of(20), false);
        assert_eq!((meter.current(of(20)), meter.reported()), (120, None));
        meter.record_call(130, of(30), true);
        meter.record_call(140, of(40), false);
        assert_eq!(meter.reported(), Some(140));
    }
}
