//! Reflectors that an engine awaits.

use std::future::Future;
use std::pin::Pin;

use trimtab_base::playbook::{Delta, Reflector, ToolBatch};

/// Strategies that are being distilled.
pub type ReflectionFuture<'a> = Pin<Box<dyn Future<Output = Vec<Delta>> + Send + 'a>>;

/// Distils strategies while other tasks run, such as by asking a model. Every [`Reflector`] does so at once.
pub trait Reflect: Send + Sync {
    /// The changes of the playbook after the calls of one reply. An empty list if there is nothing to learn, or if it cannot
    /// be found out.
    fn reflect<'a>(&'a self, batch: &'a ToolBatch) -> ReflectionFuture<'a>;
}

impl<R: Reflector> Reflect for R {
    fn reflect<'a>(&'a self, batch: &'a ToolBatch) -> ReflectionFuture<'a> {
        let deltas = Reflector::reflect(self, batch);
        Box::pin(async { deltas })
    }
}
