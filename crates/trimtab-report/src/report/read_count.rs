//! How many of the named recordings could be read.

use super::style::TerminalStyle;

/// How many recordings were read, of those that were named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCount {
    /// Files that were read.
    pub read: usize,
    /// Files that were named.
    pub all: usize,
}

impl ReadCount {
    /// Returns `23 of 40 recordings`, or `None` if all were read.
    pub fn partial(self) -> Option<String> {
        (self.read < self.all).then(|| format!("{} of {} recordings", self.read, self.all))
    }

    /// The first line of a report: `23 of 40 recordings read.`; nothing when all were.
    pub fn heading(self, style: TerminalStyle) -> String {
        let text = self.partial().map(|partial| style.wrap(&format!("{partial} read."), 0));
        text.map_or_else(String::new, |text| format!("{}\n", style.emphasis(text.trim_end())))
    }
}
