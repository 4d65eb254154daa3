//! The messages that a compaction kept in the context besides its summary.
//!
//! Newer versions list the records of these messages, older ones name the first and the last. The records are not
//! written again, so that their messages are copied.

use std::cell::LazyCell;

use foldhash::{HashMap, HashMapExt};

use super::line::{Line, LineKind};
use crate::transcript::wire::{List, Str};

/// The messages that a compaction kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// The UUIDs of their records.
    pub(super) uuids: Vec<String>,
    /// Whether they precede the summary in the new context.
    pub(super) precede_summary: bool,
}

/// The messages that each compaction among some lines kept, by the index of its line.
pub(super) fn of_compactions(lines: &[Line<'_>], indexes: &[usize]) -> HashMap<usize, Kept> {
    let is_compaction = |index: &&usize| lines[**index].kind() == LineKind::Compaction;
    let parents = LazyCell::new(|| Parents::of(lines));
    let kept =
        |index: &usize| Some((*index, of_compaction(&lines[*index], |head, tail| parents.path(head, tail, *index))?));
    indexes.iter().filter(is_compaction).filter_map(kept).collect()
}

/// What a compaction kept. `path` finds the records from one to another.
fn of_compaction(line: &Line<'_>, path: impl FnOnce(&str, &str) -> Vec<String>) -> Option<Kept> {
    let (listed, segment) = line.kept_messages()?;
    let strings = |list: &List<'_>| -> Vec<String> {
        list.0.iter().flatten().filter_map(|raw| raw.parse::<Str<'_>>()?.get().map(str::to_owned)).collect()
    };
    let mut uuids = strings(&listed.all_uuids);
    if uuids.is_empty() {
        uuids = strings(&listed.uuids);
    }
    if uuids.is_empty() {
        uuids = path(segment.head.get()?, segment.tail.get()?);
    }
    let anchor = listed.anchor_uuid.get().or(segment.anchor.get());
    let precede_summary = anchor.is_some() && anchor == line.uuid.get();
    (!uuids.is_empty()).then_some(Kept { uuids, precede_summary })
}

/// The first line with each UUID and a parent: its index, and the parent.
struct Parents<'l>(HashMap<&'l str, (usize, &'l str)>);

impl<'l> Parents<'l> {
    fn of(lines: &'l [Line<'_>]) -> Self {
        let mut parents = HashMap::new();
        for (index, line) in lines.iter().enumerate() {
            if let (Some(uuid), Some(parent)) = (line.uuid.get(), line.parent_uuid.get()) {
                parents.entry(uuid).or_insert((index, parent));
            }
        }
        Self(parents)
    }

    /// The records from `head` to `tail`, by the links to parents on lines before `end`. Empty if `head` is not an ancestor of
    /// `tail`.
    fn path(&self, head: &str, tail: &str, end: usize) -> Vec<String> {
        let mut path = vec![tail.to_owned()];
        let mut current = tail;
        while current != head {
            // No path is longer than the file, even if the links form a cycle.
            match self.0.get(current).filter(|(index, _)| *index < end && path.len() <= end) {
                Some((_, parent)) => current = parent,
                None => return Vec::new(),
            }
            path.push(current.to_owned());
        }
        path
    }
}
