//! How many of the recordings that were named could be read.

use super::simulation::ReplayResult;
use super::style::TerminalStyle;

/// The longest list of transcripts that stands in a sentence.
const NAMED: usize = 3;

/// How many recordings were read, of those that were named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCount {
    /// Files that were read.
    pub read: usize,
    /// Files that were named.
    pub all: usize,
}

impl ReadCount {
    /// `23 of 40 recordings`; none when all were read.
    pub fn partly(self) -> Option<String> {
        (self.read < self.all).then(|| format!("{} of {} recordings", self.read, self.all))
    }

    /// The head of a verdict: `23 of 40 recordings read.`; nothing when all were.
    pub fn head(self, style: TerminalStyle) -> String {
        let text = self.partly().map(|partly| style.wrap(&format!("{partly} read."), 0));
        text.map_or_else(String::new, |text| format!("{}\n", style.strong(text.trim_end())))
    }
}

/// Transcripts in a sentence: `2 transcripts (a.jsonl, b.jsonl)`, the first few and how many more.
pub(super) fn transcripts(replays: &[&ReplayResult]) -> String {
    let mut names: Vec<&str> = replays.iter().take(NAMED).map(|one| one.id.as_str()).collect();
    let rest = format!("and {} more", replays.len() - names.len());
    if replays.len() > NAMED {
        names.push(&rest);
    }
    format!("{} ({})", super::simulation::plural(replays.len(), "transcript"), names.join(", "))
}
