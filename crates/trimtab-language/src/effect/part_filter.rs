//! The parts that an effect selects, before it decides how to reduce them.

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Conversation, Counter, Entry, PartId, any_matches};
use trimtab_base::quantity::{Quantity, Unit};

use super::reduction::{EXCEPT, Errors, ONLY, READS, WRITES};
use super::{Arguments, FileTools, Redundancy, RedundancyCache, TargetKind};

/// A message that a search has to examine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The index of the message.
    pub(super) at: usize,
    /// Whether its parts can be reduced now. A redundant result cannot while what makes it redundant is not in the
    /// context.
    pub(super) is_editable: bool,
}

/// The parts that the arguments of an effect select.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PartFilter {
    pub(super) target: TargetKind,
    pub(super) over: Option<Quantity>,
    pub(super) tools: ToolFilter,
    pub(super) errors: Errors,
    /// Which results are selected, if only redundant ones are.
    pub(super) redundancy: Option<Redundancy>,
    /// Whether parts are removed without a replacement. If an image of a result is removed, the rest of the result
    /// stays.
    pub(super) removes: bool,
}

impl PartFilter {
    pub(super) fn new(arguments: &Arguments, over: Option<Quantity>) -> Self {
        let target = arguments.target_kind().unwrap_or(TargetKind::Results);
        Self {
            target,
            over,
            tools: ToolFilter { only: ONLY.get(arguments), except: EXCEPT.get(arguments) },
            errors: errors(arguments),
            redundancy: redundancy(arguments),
            removes: target == TargetKind::Thinking,
        }
    }

    /// Whether the effect would remove a part.
    pub(super) fn would_remove(&self, body: &Body) -> bool {
        self.removes && !matches!(body, Body::ToolResult(_)) && body.chars() > 0
    }

    /// The messages to search from the index `from` up to `end`, in order. With a redundancy these are redundant
    /// results, also those before `from` that a message from the index `seen` on has made redundant.
    pub(super) fn candidates(
        &self,
        conversation: &Conversation,
        cache: &RedundancyCache,
        (from, seen): (usize, usize),
        end: usize,
    ) -> Box<dyn Iterator<Item = Candidate>> {
        match &self.redundancy {
            Some(redundancy) => {
                let results = cache.results(conversation, redundancy, (from, seen), end);
                Box::new(results.into_iter().map(|result| Candidate { at: result.at, is_editable: result.is_replaced }))
            }
            None => Box::new((from..end).map(|at| Candidate { at, is_editable: true })),
        }
    }

    /// Whether a part is longer than `over`, as it is now.
    pub(super) fn is_over(&self, entry: &Entry, part: PartId, body: &Body, counter: &dyn Counter) -> bool {
        let Some(over) = self.over else { return true };
        match (over.unit, body) {
            (Unit::Tokens, _) => entry.part_tokens(part, counter) > over.to_u64(),
            (_, Body::ToolResult(result)) => result.text.chars().count() as u64 > over.to_u64(),
            (_, Body::ToolCall { arguments, .. }) => arguments.chars() as u64 > over.to_u64(),
            (_, body) => body.chars() as u64 > over.to_u64(),
        }
    }
}

/// The tools whose calls and results are selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ToolFilter {
    pub(super) only: Option<Vec<SmolStr>>,
    pub(super) except: Option<Vec<SmolStr>>,
}

impl ToolFilter {
    /// Whether the tool of a part is selected.
    pub(super) fn selects(&self, entry: &Entry, body: &Body) -> bool {
        let tool = match body {
            Body::ToolCall { name, .. } => Some(name),
            Body::ToolResult(_) => entry.tool(),
            Body::Image { .. } => None,
            _ => return true,
        };
        let is_in = |names: &Option<Vec<SmolStr>>| {
            names.as_ref().map(|names| tool.is_some_and(|tool| any_matches(names.iter().map(SmolStr::as_str), tool)))
        };
        is_in(&self.only).unwrap_or(true) && !is_in(&self.except).unwrap_or(false)
    }
}

/// What happens to error results. Of other parts, all are selected.
fn errors(arguments: &Arguments) -> Errors {
    let has_results = |target: TargetKind| target.is_of_results() || target == TargetKind::Images;
    if arguments.target_kind().is_some_and(has_results) { Errors::of(arguments) } else { Errors::Include }
}

/// Which results are selected, if only redundant ones are.
fn redundancy(arguments: &Arguments) -> Option<Redundancy> {
    match arguments.target_kind()? {
        TargetKind::Duplicates => Some(Redundancy::Duplicates),
        TargetKind::SupersededReads => {
            let tools = FileTools { reads: READS.get(arguments), writes: WRITES.get(arguments) };
            Some(Redundancy::SupersededReads(tools))
        }
        _ => None,
    }
}

impl TargetKind {
    /// Whether a part of a message belongs to it.
    pub(super) fn contains(self, entry: &Entry, body: &Body) -> bool {
        match (self, body) {
            (target, Body::ToolResult(_)) if target.is_of_results() => true,
            (Self::Calls, Body::ToolCall { .. })
            | (Self::Thinking, Body::Thinking { .. })
            | (Self::Images, Body::Image { .. }) => true,
            (Self::Images, Body::ToolResult(result)) => {
                result.attachments.iter().any(|attachment| self.contains(entry, attachment))
            }
            (Self::UserMessages, Body::Text(_)) => entry.message().is_person(),
            (Self::Replies, Body::Text(_)) => entry.is_by_model(),
            _ => false,
        }
    }
}
