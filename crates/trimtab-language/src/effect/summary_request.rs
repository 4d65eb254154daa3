//! Requests to summarisers.

use std::fmt;
use std::sync::Arc;

use trimtab_base::conversation::{Counter, Entry, render};

/// A request to a summariser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryRequest {
    /// The instructions for the summariser.
    pub instructions: String,
    /// The existing summary that the new one updates.
    pub previous: Option<String>,
    /// The messages to summarise as text, one line per part.
    ///
    /// A part can contain line breaks, so the author of a line cannot be told from the text.
    pub transcript: String,
    /// The maximum length of the summary in tokens.
    pub at_most: Option<u64>,
    /// The messages of which `transcript` is the text; empty in a request that was not made by a policy.
    pub messages: SummarisedMessages,
}

/// The messages to summarise, and the counter that measures the summary. The summariser `Extract` reads them.
#[derive(Clone, Default)]
pub struct SummarisedMessages {
    entries: Arc<[Entry]>,
    /// Whether the content of a single result is summarised, not the conversation.
    is_result: bool,
    counter: Option<Arc<dyn Counter>>,
}

impl SummarisedMessages {
    /// The messages as text.
    pub(super) fn transcript(&self) -> String {
        render(self.entries.iter())
    }
}

/// Messages with the counter that measures their summary.
pub fn summarised(entries: impl IntoIterator<Item = Entry>, counter: Arc<dyn Counter>) -> SummarisedMessages {
    SummarisedMessages { entries: entries.into_iter().collect(), is_result: false, counter: Some(counter) }
}

/// The message of a result whose content is summarised by itself, with the counter that measures the summary.
pub fn summarised_result(entry: Entry, counter: Arc<dyn Counter>) -> SummarisedMessages {
    SummarisedMessages { is_result: true, ..summarised([entry], counter) }
}

/// The message of the result, if the content of a single result is summarised.
pub fn single_result(messages: &SummarisedMessages) -> Option<&Entry> {
    messages.entries.first().filter(|_| messages.is_result)
}

/// The messages in order.
pub fn summarised_entries(messages: &SummarisedMessages) -> &[Entry] {
    &messages.entries
}

/// Returns the counter, or `None` in a request that was not made by a policy.
pub fn summary_counter(messages: &SummarisedMessages) -> Option<&dyn Counter> {
    messages.counter.as_deref()
}

/// Two requests for the same messages are equal, whatever counts their tokens.
impl PartialEq for SummarisedMessages {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Entry, &Entry)| a.id() == b.id() && a.message() == b.message();
        self.is_result == other.is_result
            && self.entries.len() == other.entries.len()
            && self.entries.iter().zip(other.entries.iter()).all(same)
    }
}

impl Eq for SummarisedMessages {}

impl fmt::Debug for SummarisedMessages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(Entry::message)).finish()
    }
}
