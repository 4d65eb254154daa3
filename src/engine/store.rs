//! Where sessions are kept between processes.

use std::future::Future;
use std::io;
use std::pin::Pin;

use crate::run::SavedSession;

/// A session that is being kept.
pub type StoreFuture<'a> = Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// Keeps sessions, so that another process can continue them. They contain the text of the conversations.
pub trait Store: Send + Sync {
    /// Keeps the newest state of a session in place of older ones.
    fn save<'a>(&'a self, session: &'a str, saved: &'a SavedSession) -> StoreFuture<'a>;
}
