//! Reads of files that were read or written again.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value as Json;
use trimtab_base::conversation::Conversation;
use trimtab_base::tool_use::{FileRange, is_stub};

use super::file_access::{FileAccess, FileTools};
use super::index::Relation;

/// The reads of each file that no later call has made redundant.
#[derive(Debug, Default)]
pub(super) struct FileReads {
    pub(super) tools: FileTools,
    by_path: HashMap<String, OpenReads>,
}

/// The result of a call that reads or writes.
#[derive(Debug)]
pub(super) struct FileResult {
    accesses: Vec<FileAccess>,
    /// The number of lines of the result.
    lines: u64,
    /// The bytes of the result.
    bytes: usize,
    /// Whether the call failed. A failed call replaces nothing.
    is_error: bool,
    /// Whether the result only says that the file is unchanged. Such a result replaces nothing.
    is_stub: bool,
}

/// Reads of one file, by the part that they read.
#[derive(Debug, Default)]
struct OpenReads {
    whole: Vec<Read>,
    /// By the first line.
    lines: BTreeMap<u64, Vec<ReadLines>>,
    others: Vec<(Json, Read)>,
}

/// The result of a read.
#[derive(Clone, Copy, Debug)]
struct Read {
    at: usize,
    bytes: usize,
}

/// How many times as long as a result the earlier content may be for the result to repeat it. A far shorter result only
/// refers to the content, whatever it says.
const MOST_TIMES_AS_LONG: usize = 10;

#[derive(Debug)]
struct ReadLines {
    /// The last line that was asked for, or `None` for the end of the file.
    asked: Option<u64>,
    /// The last line that the result can contain.
    last: u64,
    read: Read,
}

impl FileReads {
    pub(super) fn new(tools: FileTools) -> Self {
        Self { tools, by_path: HashMap::new() }
    }
}

impl Relation for FileReads {
    type Item = FileResult;

    fn item(&mut self, conversation: &Conversation, at: usize) -> Option<FileResult> {
        let (tool, arguments) = conversation.answered(at)?;
        let accesses = self.tools.accesses(tool, arguments);
        let result = conversation.entries()[at].recorded().results().next().filter(|_| !accesses.is_empty())?;
        let lines = u64::try_from(result.text.lines().count()).unwrap_or(u64::MAX);
        let is_stub = accesses.iter().all(|access| !access.writes) && is_stub(&result.text);
        Some(FileResult { accesses, lines, bytes: result.text.len(), is_error: result.is_error, is_stub })
    }

    fn replaced_by(&mut self, item: &FileResult) -> Vec<usize> {
        let mut replaced = Vec::new();
        for access in item.accesses.iter().filter(|_| !item.is_error && !item.is_stub) {
            if let Some(reads) = self.by_path.get_mut(&access.path) {
                reads.take_replaced(access, item, &mut replaced);
            }
        }
        replaced
    }

    fn add(&mut self, at: usize, item: &FileResult) {
        let Some(read) = item.read() else { return };
        let reads = self.by_path.entry(read.path.clone()).or_default();
        let result = Read { at, bytes: item.bytes };
        match &read.range {
            FileRange::Whole => reads.whole.push(result),
            FileRange::Lines { first, last } => {
                let lines = ReadLines { asked: *last, last: item.last_line(*first, *last), read: result };
                reads.lines.entry(*first).or_default().push(lines);
            }
            FileRange::Other(arguments) => reads.others.push((arguments.clone(), result)),
        }
    }

    fn remove(&mut self, at: usize, item: &FileResult) {
        let Some(read) = item.read() else { return };
        let Some(reads) = self.by_path.get_mut(&read.path) else { return };
        match &read.range {
            FileRange::Whole => reads.whole.retain(|other| other.at != at),
            FileRange::Lines { first, .. } => {
                reads.lines.entry(*first).or_default().retain(|other| other.read.at != at);
            }
            FileRange::Other(_) => reads.others.retain(|(_, other)| other.at != at),
        }
    }

    fn outdates(item: &FileResult) -> bool {
        item.accesses.iter().any(|access| access.writes)
    }
}

impl FileResult {
    /// Returns the file that was read, or `None` if files were written.
    fn read(&self) -> Option<&FileAccess> {
        self.accesses.first().filter(|access| !access.writes)
    }

    /// The last line that the result of a read from this line on can contain. A failed read contains none of the lines
    /// that it asked for, so it counts as asking for all of them.
    fn last_line(&self, first: u64, asked: Option<u64>) -> u64 {
        let shown = first.saturating_add(self.lines).saturating_sub(1);
        if self.is_error { asked.unwrap_or(u64::MAX) } else { asked.unwrap_or(u64::MAX).min(shown) }
    }
}

impl OpenReads {
    /// Removes the reads that a later access replaces and adds them to a list. A read of the whole file may have been cut
    /// by its tool, so it contains as many lines as its result has.
    fn take_replaced(&mut self, access: &FileAccess, item: &FileResult, replaced: &mut Vec<usize>) {
        let writes = access.writes;
        let repeats = |read: &Read| writes || read.bytes <= item.bytes.saturating_mul(MOST_TIMES_AS_LONG);
        let (first, last, asked) = match &access.range {
            FileRange::Whole => {
                replaced.extend(self.whole.extract_if(.., |read| repeats(read)).map(|read| read.at));
                if writes {
                    replaced.extend(self.others.drain(..).map(|(_, read)| read.at));
                }
                (0, if writes { u64::MAX } else { item.lines }, None)
            }
            FileRange::Lines { first, last } if writes => (*first, last.unwrap_or(u64::MAX), None),
            FileRange::Lines { first, last } => (*first, item.last_line(*first, *last), Some(*last)),
            FileRange::Other(arguments) => {
                let is_same = |(other, read): &mut (Json, Read)| other == arguments && repeats(read);
                replaced.extend(self.others.extract_if(.., is_same).map(|(_, read)| read.at));
                return;
            }
        };
        let mut emptied = Vec::new();
        for (start, reads) in self.lines.range_mut(first..=last.max(first)) {
            reads.retain(|read| {
                let covers = read.last <= last || *start == first && asked == Some(read.asked);
                let is_replaced = covers && repeats(&read.read);
                replaced.extend(is_replaced.then_some(read.read.at));
                !is_replaced
            });
            emptied.extend(reads.is_empty().then_some(*start));
        }
        for start in emptied {
            self.lines.remove(&start);
        }
    }
}
