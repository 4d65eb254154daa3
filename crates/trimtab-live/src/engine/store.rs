//! Where sessions are kept between processes.

use std::future::Future;
use std::io;
use std::pin::Pin;

use trimtab_run::run::SavedSession;

/// A session that is being saved.
pub type StoreFuture<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// A session that is being loaded; `None` if there is none with this id.
pub type LoadFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Option<SavedSession>>> + Send + 'a>>;

/// Keeps sessions, so that another process can continue them. They contain the text of the conversations.
pub trait Store: Send + Sync {
    /// Keeps the newest state of a session in place of older ones. Calls for one session never overlap.
    ///
    /// If it fails or its future is dropped, the next call saves everything again.
    fn save<'a>(&'a self, session: &'a str, saved: &'a SavedSession) -> StoreFuture<'a>;

    /// The newest state of a session.
    fn load<'a>(&'a self, session: &'a str) -> LoadFuture<'a>;
}
