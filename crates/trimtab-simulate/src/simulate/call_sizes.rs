//! The sizes of a call, as the ledger bills it.

/// The sizes of a call.
pub(super) struct Sizes {
    pub(super) call: usize,
    /// The recorded context.
    pub(super) before: u64,
    /// The context with the policy.
    pub(super) after: u64,
    /// The tokens of the recorded context that a stop prevented.
    pub(super) prevented: u64,
    /// Whether the policy has edited the request. Otherwise, it is the recorded one without what a stop prevented.
    pub(super) is_edited: bool,
    /// Whether a rule has stopped the run, so that the call is not made.
    pub(super) is_stopped: bool,
    /// The seconds since the previous reply, as recorded.
    pub(super) recorded_idle: Option<u64>,
    /// The seconds since the reply to the previous call that is made with the policy.
    pub(super) idle: Option<u64>,
    /// The tokens of messages that are sent only with this request, after all others.
    pub(super) transient: u64,
}
