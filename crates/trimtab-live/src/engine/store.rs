//! Where sessions are kept between processes.

use std::future::Future;
use std::io;
use std::pin::Pin;

use trimtab_run::run::SavedSession;

/// Resolves when a session has been saved.
pub type StoreFuture<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// Resolves to a saved session, or `None` if there is none with this id.
pub type LoadFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Option<SavedSession>>> + Send + 'a>>;

/// Stores sessions, so that another process can continue them. They contain the text of the conversations.
pub trait Store: Send + Sync {
    /// Stores the newest state of a session and replaces the older one. Calls for one session never overlap.
    ///
    /// If the call fails or its future is dropped, the next call saves everything again.
    fn save<'a>(&'a self, session: &'a str, saved: &'a SavedSession) -> StoreFuture<'a>;

    /// The newest state of a session.
    fn load<'a>(&'a self, session: &'a str) -> LoadFuture<'a>;
}
