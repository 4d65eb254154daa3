//! A figure as recorded and with the policy.

/// A figure as recorded and with the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared<T> {
    /// As recorded.
    pub recorded: T,
    /// With the policy.
    pub policy: T,
}
