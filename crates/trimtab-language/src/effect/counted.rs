//! The positions of the results and images that a kept tail counts.
//!
//! The positions follow the conversation, so that a rule that is due at every call of a long session examines each
//! message once.

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;
use trimtab_base::conversation::{Body, Conversation, Entry, Mark, ToolResult};

use super::part_filter::{PartFilter, ToolFilter};
use super::reduction::Errors;

/// What counts towards a number of kept results or images.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct CountedFilter {
    counts_images: bool,
    tools: ToolFilter,
    errors: Errors,
}

impl CountedFilter {
    /// The filter for images or results. `parts` selects those that an effect takes; without it, all of them count.
    pub(super) fn new(counts_images: bool, parts: Option<&PartFilter>) -> Self {
        let has_tools = |parts: &&PartFilter| !parts.target.has_no_tool();
        let tools = parts.filter(has_tools).map(|parts| parts.tools.clone()).unwrap_or_default();
        Self { counts_images, tools, errors: parts.map_or(Errors::Include, |parts| parts.errors) }
    }

    /// How many results or images of a message count.
    fn count(&self, entry: &Entry) -> usize {
        entry.message().parts.iter().map(|part| self.count_of(entry, &part.body)).sum()
    }

    /// How many results or images of a part count.
    pub(super) fn count_of(&self, entry: &Entry, body: &Body) -> usize {
        let number = match body {
            _ if !self.errors.selects(body) => 0,
            Body::ToolResult(result) if self.counts_images => images_of(result),
            Body::ToolResult(_) => 1,
            Body::Image { .. } if self.counts_images => 1,
            _ => 0,
        };
        if number > 0 && self.tools.selects(entry, body) { number } else { 0 }
    }
}

/// A result with its first images only, and what it has besides.
pub(super) fn split_images(result: &ToolResult, first: usize) -> (ToolResult, Vec<Body>) {
    let mut head = result.clone();
    let is_image = |attachment: &Body| matches!(attachment, Body::Image { .. });
    let images = result.attachments.iter().enumerate().filter(|(_, attachment)| is_image(attachment));
    let end = images.map(|(at, _)| at).nth(first).unwrap_or(result.attachments.len());
    let rest = head.attachments.split_off(end);
    (head, rest)
}

/// The number of images in a result.
fn images_of(result: &ToolResult) -> usize {
    result.attachments.iter().filter(|attachment| matches!(attachment, Body::Image { .. })).count()
}

/// The positions of the results and images that the effects of a session count. A cache, which changes no result.
#[derive(Debug, Default)]
pub struct CountedParts(Mutex<HashMap<Arc<CountedFilter>, Places>>);

impl Clone for CountedParts {
    /// A copy starts empty: it belongs to another session.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl CountedParts {
    /// The index of the first message of the tail that has `count` of the parts that a filter counts.
    pub(super) fn first(&self, filter: &Arc<CountedFilter>, conversation: &Conversation, count: usize) -> usize {
        self.start(filter, conversation, count).0
    }

    /// The index of that message, and how many of its counted parts are older than the newest `count`.
    pub(super) fn start(
        &self,
        filter: &Arc<CountedFilter>,
        conversation: &Conversation,
        count: usize,
    ) -> (usize, usize) {
        let Some(before_last) = count.checked_sub(1) else { return (conversation.entries().len(), 0) };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let places = all.entry(Arc::clone(filter)).or_default();
        places.follow(filter, conversation);
        let Some(oldest) = places.messages.len().checked_sub(before_last + 1) else { return (0, 0) };
        let first = places.messages[oldest];
        (first, oldest - places.messages.partition_point(|at| *at < first))
    }
}

/// For each counted result or image, the index of its message, in order.
#[derive(Debug, Default)]
struct Places {
    mark: Option<Mark>,
    /// The number of messages that have been searched.
    searched: usize,
    messages: Vec<usize>,
}

impl Places {
    /// Follows the changes of the conversation. A result stays a result, even if its content is reduced.
    fn follow(&mut self, filter: &CountedFilter, conversation: &Conversation) {
        let unchanged = |mark: &Mark| {
            if filter.counts_images { conversation.unchanged_since(mark) } else { conversation.unmoved_since(mark) }
        };
        let unchanged_prefix = self.mark.as_ref().map_or(0, unchanged).min(self.searched);
        self.messages.truncate(self.messages.partition_point(|at| *at < unchanged_prefix));
        for (at, entry) in conversation.entries().iter().enumerate().skip(unchanged_prefix) {
            self.messages.extend(std::iter::repeat_n(at, filter.count(entry)));
        }
        self.searched = conversation.entries().len();
        self.mark = Some(conversation.mark());
    }
}
