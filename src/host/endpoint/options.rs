//! Limits of a summariser that calls a model server.

use std::time::Duration;

/// Limits of an [`EndpointSummariser`](super::EndpointSummariser).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointOptions {
    /// How long one attempt may take, from the connection to the end of the answer; 60 seconds.
    pub attempt_timeout: Duration,
    /// How long all attempts may take together, with the pauses between them; 180 seconds.
    pub deadline: Duration,
    /// How many attempts follow the first one at most; 3.
    pub retries: u32,
    /// The longest pause before the second attempt; it doubles with each further one; 500 milliseconds. The pause is a
    /// random part of it, or what the server asks for in `Retry-After` if that is longer.
    pub first_pause: Duration,
    /// The longest pause that the server has not asked for; 20 seconds.
    pub max_pause: Duration,
    /// The longest answer that is read, in bytes; 1 MiB.
    pub max_answer: usize,
    /// Output tokens that a model may use beyond the limit of the summary, 2,000: thinking counts as output, and a summary
    /// that is a little too long is better cut by the effect than incomplete.
    pub extra_output: u64,
    /// The maximum output in tokens, besides `extra_output`, of summaries without a limit; 8,000.
    pub default_output: u64,
    /// The seed of the random pauses; random if it is not given.
    pub seed: Option<u64>,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            attempt_timeout: Duration::from_secs(60),
            deadline: Duration::from_secs(180),
            retries: 3,
            first_pause: Duration::from_millis(500),
            max_pause: Duration::from_secs(20),
            max_answer: 1 << 20,
            extra_output: 2_000,
            default_output: 8_000,
            seed: None,
        }
    }
}
