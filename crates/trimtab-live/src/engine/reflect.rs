//! Reflectors that an engine awaits.

use std::future::Future;
use std::pin::Pin;

use trimtab_base::playbook::{Delta, Reflector, ToolBatch};

/// Resolves to the changes of the playbook.
pub type ReflectionFuture<'a> = Pin<Box<dyn Future<Output = Vec<Delta>> + Send + 'a>>;

/// Distils strategies while other tasks run, for example by asking a model. Every [`Reflector`] implements it and
/// answers immediately.
pub trait Reflect: Send + Sync {
    /// The changes of the playbook after the calls of one reply; empty if there is nothing to learn or the reflection
    /// failed.
    fn reflect<'a>(&'a self, batch: &'a ToolBatch) -> ReflectionFuture<'a>;
}

impl<R: Reflector> Reflect for R {
    fn reflect<'a>(&'a self, batch: &'a ToolBatch) -> ReflectionFuture<'a> {
        let deltas = Reflector::reflect(self, batch);
        Box::pin(async { deltas })
    }
}
