//! How large the context is: the number of the last call, and what has come and gone since.

/// The context of the last call, and the counted size of the conversation at that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// What is sent beside the messages: no context is smaller.
    overhead: u64,
    tokens: u64,
    counted: u64,
    reported: Option<u64>,
}

impl Meter {
    /// Before the first call: `overhead` is what is sent beside the messages, such as tool schemas.
    pub const fn new(overhead: u64) -> Self {
        Self { overhead, tokens: overhead, counted: 0, reported: None }
    }

    /// A call was made with a context of so many tokens, when the conversation counted so many.
    pub const fn called(&mut self, tokens: u64, counted: u64) {
        self.sending(tokens, counted);
        self.reported = Some(tokens);
    }

    /// With the next call, so many tokens are sent beside the messages.
    pub const fn beside(&mut self, overhead: u64) {
        self.overhead = overhead;
    }

    /// A call is about to be made with a context of so many tokens; what was reported last stays.
    pub const fn sending(&mut self, tokens: u64, counted: u64) {
        (self.tokens, self.counted) = (tokens, counted);
    }

    /// The conversation was emptied by the host: only what is counted from now on, and this beside it, will be sent.
    pub const fn restart(&mut self, overhead: u64) {
        (self.overhead, self.tokens, self.counted) = (overhead, overhead, 0);
    }

    /// What would be sent now, for a conversation that counts so many tokens.
    pub const fn live(&self, counted: u64) -> u64 {
        let live = self.tokens.saturating_add(counted).saturating_sub(self.counted);
        if live < self.overhead { self.overhead } else { live }
    }

    /// The context of the last call; none before the first.
    pub const fn reported(&self) -> Option<u64> {
        self.reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_live_number_follows_what_comes_and_goes_while_the_reported_one_stays() {
        let mut meter = Meter::new(100);
        assert_eq!((meter.live(50), meter.reported()), (150, None));
        meter.called(170, 50);
        assert_eq!((meter.live(80), meter.reported()), (200, Some(170)));
        assert_eq!((meter.live(10), meter.reported()), (130, Some(170)));
    }

    #[test]
    fn no_context_is_smaller_than_what_is_sent_beside_the_messages() {
        let mut meter = Meter::new(100);
        meter.called(120, 50);
        assert_eq!(meter.live(0), 100);
        meter.restart(300);
        assert_eq!(meter.live(0), 300);
    }
}
