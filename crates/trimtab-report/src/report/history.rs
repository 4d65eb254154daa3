//! The history of a transcript: a line a call, the content of one call, the tools, or the largest parts.

mod sections;

use trimtab_analysis::recording::History;

pub use sections::histories;

/// What of a history is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryPart {
    /// A line for each model call.
    Calls,
    /// What the context of the call with this number contained.
    Content(usize),
    /// The tools.
    Tools,
    /// The largest parts.
    Largest,
}

/// The history of a transcript, with the names that the user knows.
#[derive(Clone, Debug)]
pub struct NamedHistory {
    /// The file as the user gave it.
    pub file: String,
    /// The name of the transcript: the file, with the id inside it if the file contains several.
    pub id: String,
    /// The history.
    pub history: History,
}
