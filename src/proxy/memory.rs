//! Recordings that are kept until the proxy ends.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use trimtab_live::engine::{Record, RecordFuture};

use crate::host::recording_name;

/// The most bytes of recordings that are kept.
const MAX_BYTES: usize = 512 << 20;

/// Recordings by session and branch.
#[derive(Debug, Default)]
pub(super) struct RecordingMemory(Mutex<BTreeMap<(String, u64), String>>);

impl RecordingMemory {
    /// All recordings, each with a name.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|((session, branch), text)| (recording_name(session, *branch), text.clone())).collect()
    }
}

impl Record for RecordingMemory {
    fn write<'a>(&'a self, session: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a> {
        Box::pin(async move {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if all.values().map(String::len).sum::<usize>() + lines.len() > MAX_BYTES {
                return Err(io::Error::other("the recordings in memory are too long; give a directory with --record"));
            }
            let recording = all.entry((session.to_owned(), branch)).or_default();
            recording.truncate(usize::try_from(at).unwrap_or(usize::MAX).min(recording.len()));
            recording.push_str(lines);
            Ok(())
        })
    }
}
