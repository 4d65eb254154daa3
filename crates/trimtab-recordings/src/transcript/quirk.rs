//! What sets a format apart from most others.

use super::Format;

/// A property that few formats have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quirk {
    /// Recordings do not say which tool results are errors.
    UnmarkedErrors,
    /// The reader skips calls, or keeps unknown parts, on purpose: missing content does not mean that the file has
    /// another format.
    Selective,
}

impl Format {
    /// Whether the format has this property.
    pub(super) fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }
}
