//! Recordings of live sessions.

use std::future::Future;
use std::io;
use std::pin::Pin;

/// A part of a recording that is being written.
pub type RecordFuture<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// Writes recordings of sessions. They contain the text of the conversations.
pub trait Record: Send + Sync {
    /// Writes lines in the recording form at the end of the recording of one branch of a session, which is `at` bytes long.
    /// Each branch is a recording of its own, and its first lines contain the messages that it shares with others. Calls for
    /// one session never overlap.
    ///
    /// A longer recording is to be cut to `at` bytes first: a process has ended after it wrote the rest and before it saved
    /// the session. If the call fails or its future is dropped, the next call has the same place and the same lines, perhaps
    /// with more after them.
    fn write<'a>(&'a self, session: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a>;
}
