//! The size of the context: the size at the last call plus what has been added and removed since.

/// The size of the context at the last call, and the size of the conversation at that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// Tokens sent besides the messages. The context is never smaller.
    overhead: u64,
    tokens: u64,
    counted: u64,
    reported: Option<u64>,
}

impl Meter {
    /// A meter before the first call. `overhead` are the tokens sent besides the messages, such as those of tool schemas.
    pub const fn new(overhead: u64) -> Self {
        Self { overhead, tokens: overhead, counted: 0, reported: None }
    }

    /// Records a call with a context of `tokens`, when the conversation had `counted` tokens.
    pub const fn record_call(&mut self, tokens: u64, counted: u64) {
        self.record_request(tokens, counted);
        self.reported = Some(tokens);
    }

    /// Sets the tokens sent besides the messages from the next call on.
    pub const fn set_overhead(&mut self, overhead: u64) {
        self.overhead = overhead;
    }

    /// Records that a call with a context of `tokens` is about to be made. [`Meter::reported`] does not change.
    pub const fn record_request(&mut self, tokens: u64, counted: u64) {
        (self.tokens, self.counted) = (tokens, counted);
    }

    /// Starts over after the host has emptied the conversation.
    pub const fn restart(&mut self, overhead: u64) {
        (self.overhead, self.tokens, self.counted) = (overhead, overhead, 0);
    }

    /// The size of the context if it were sent now, for a conversation of `counted` tokens.
    pub const fn current(&self, counted: u64) -> u64 {
        let current = self.tokens.saturating_add(counted).saturating_sub(self.counted);
        if current < self.overhead { self.overhead } else { current }
    }

    /// The tokens sent besides the messages.
    pub const fn overhead(&self) -> u64 {
        self.overhead
    }

    /// The size of the context at the last call; none before the first.
    pub const fn reported(&self) -> Option<u64> {
        self.reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_live_size_follows_the_conversation_but_the_reported_size_does_not() {
        let mut meter = Meter::new(100);
        assert_eq!((meter.current(50), meter.reported()), (150, None));
        meter.record_call(170, 50);
        assert_eq!((meter.current(80), meter.reported()), (200, Some(170)));
        assert_eq!((meter.current(10), meter.reported()), (130, Some(170)));
    }

    #[test]
    fn the_context_is_never_smaller_than_the_overhead() {
        let mut meter = Meter::new(100);
        meter.record_call(120, 50);
        assert_eq!(meter.current(0), 100);
        meter.restart(300);
        assert_eq!(meter.current(0), 300);
    }
}
