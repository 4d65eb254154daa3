//! Recordings of live sessions.

use std::future::Future;
use std::io;
use std::pin::Pin;

/// A part of a recording that is being written.
pub type RecordFuture<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// Writes recordings of sessions. They contain the text of the conversations.
pub trait Record: Send + Sync {
    /// Appends lines in the recording form to the recording of one branch of a session. Each branch is a recording of its
    /// own, and its first lines contain the messages that it shares with others. Calls for one session never overlap.
    ///
    /// If it fails or its future is dropped, the next call gets the same lines again, so it should write all lines or none.
    fn append<'a>(&'a self, session: &'a str, branch: u64, lines: &'a str) -> RecordFuture<'a>;
}
