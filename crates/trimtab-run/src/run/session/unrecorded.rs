//! A part of a recording that has not been written.

/// A part of a recording that has not been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrecorded {
    /// The number of its branch.
    pub branch: u64,
    /// The length of the recording before them, in bytes.
    pub at: u64,
    /// The lines, in the recording format.
    pub text: String,
    /// The index of the log after them.
    pub(super) end: usize,
}
