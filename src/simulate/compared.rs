//! A figure as recorded and with the policy.

use std::ops::Add;

/// A figure as recorded and with the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared<T> {
    /// As recorded.
    pub recorded: T,
    /// With the policy.
    pub policy: T,
}

impl<T: Add<Output = T>> Compared<T> {
    /// The sum of two.
    pub(super) fn with(self, other: Self) -> Self {
        Self { recorded: self.recorded + other.recorded, policy: self.policy + other.policy }
    }
}
