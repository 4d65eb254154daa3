//! Results that newer messages make redundant: duplicates, and reads of files that were read or written again.
//!
//! An index per target follows the conversation. It is computed from the recorded messages, so content edits do not
//! change it, and messages that have not moved are not examined again.

mod duplicates;
mod file_access;
mod file_reads;
mod index;

use std::sync::{Mutex, PoisonError};

use trimtab_base::conversation::Conversation;

use self::duplicates::Duplicates;
pub use self::file_access::FileTools;
use self::file_reads::FileReads;
use self::index::Index;

/// Which results are redundant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Redundancy {
    /// Results of identical calls with identical content, but for the newest one.
    Duplicates,
    /// Results of reads of a file that was read or written again later.
    SupersededReads(FileTools),
}

/// A redundant result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedundantResult {
    /// The index of its message.
    pub at: usize,
    /// Whether what makes it redundant is still in the context. A newer result that is reduced further does not replace
    /// an older one.
    pub is_replaced: bool,
}

/// The redundant results of a session. A cache, which changes no result.
#[derive(Debug, Default)]
pub struct RedundancyCache(Mutex<Indices>);

/// An index for each kind of redundancy.
#[derive(Debug, Default)]
struct Indices {
    duplicates: Index<Duplicates>,
    reads: Vec<Index<FileReads>>,
}

impl Clone for RedundancyCache {
    /// A copy starts empty: it belongs to another session.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl RedundancyCache {
    /// The redundant results from the index `from` on, and those before it that a message from the index `seen` on has
    /// made redundant; in order, and up to the index `end`.
    pub fn results(
        &self,
        conversation: &Conversation,
        redundancy: &Redundancy,
        (from, seen): (usize, usize),
        end: usize,
    ) -> Vec<RedundantResult> {
        let mut indices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match redundancy {
            Redundancy::Duplicates => indices.duplicates.results(conversation, (from, seen), end),
            Redundancy::SupersededReads(tools) => {
                let reads = &mut indices.reads;
                let position = reads.iter().position(|index| index.relation().tools == *tools);
                let position = position.unwrap_or_else(|| {
                    reads.push(Index::new(FileReads::new(tools.clone())));
                    reads.len() - 1
                });
                reads[position].results(conversation, (from, seen), end)
            }
        }
    }
}

#[cfg(test)]
mod tests;
