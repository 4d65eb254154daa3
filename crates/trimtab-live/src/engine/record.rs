//! Recordings of live sessions.

use std::future::Future;
use std::io;
use std::pin::Pin;

/// Resolves when a part of a recording has been written.
pub type RecordFuture<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// Writes recordings of sessions. They contain the text of the conversations.
pub trait Record: Send + Sync {
    /// Appends lines in Trimtab's recording format to the recording of one branch of a session, which is `at` bytes
    /// long. Each branch has a recording of its own, which begins with the messages that it shares with other branches.
    /// Calls for one session never overlap.
    ///
    /// Truncate a longer recording to `at` bytes first: a process ended after it wrote the rest and before it saved the
    /// session. If the call fails or its future is dropped, the next call has the same `at` and begins with the same
    /// lines.
    fn write<'a>(&'a self, session: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a>;
}
