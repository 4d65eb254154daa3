//! Several hooks as one.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::event::Event;
use super::{
    CompactionMiss, ContextBudget, DryRun, Emitted, Hook, HookResult, IterationEnd, IterationStart, PlanExecution,
    Reflection, ToolValidation,
};

/// Hooks that are called one after the other, in their order. A hook that panics or returns an error does not keep the
/// others from being called.
#[derive(Clone, Default)]
pub struct HookChain(Arc<[Arc<dyn Hook>]>);

/// A hook that panicked or returned an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookFailure {
    /// The place of the hook in the chain, from 0.
    pub hook: usize,
    /// The name of the event.
    pub event: &'static str,
    /// The error, or the message of the panic.
    pub reason: String,
}

impl fmt::Display for HookFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "hook {} failed on `{}`: {}", self.hook, self.event, self.reason)
    }
}

impl Error for HookFailure {}

/// The failures of a chain that is itself a hook.
#[derive(Debug)]
struct ChainFailure(Vec<String>);

impl fmt::Display for ChainFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.join("; "))
    }
}

impl Error for ChainFailure {}

impl HookChain {
    /// A chain of those hooks that are present.
    pub fn new(hooks: impl IntoIterator<Item = Option<Arc<dyn Hook>>>) -> Self {
        Self(hooks.into_iter().flatten().collect())
    }

    /// Whether it has no hooks.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Calls the hooks with an event, and returns which of them failed.
    pub fn call(&self, event: &Event) -> Vec<HookFailure> {
        let failures = self.each(|hook| hook.event(event));
        failures.map(|(hook, reason)| HookFailure { hook, event: event.name(), reason }).collect()
    }

    /// Calls each hook, and returns the places and reasons of those that failed.
    fn each(&self, call: impl Fn(&dyn Hook) -> HookResult) -> impl Iterator<Item = (usize, String)> {
        let reason = |hook: &Arc<dyn Hook>| match catch_unwind(AssertUnwindSafe(|| call(&**hook))) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(panic) => Some(format!("it panicked: {}", message(&*panic))),
        };
        let failures: Vec<(usize, String)> =
            self.0.iter().enumerate().filter_map(|(at, hook)| Some((at, reason(hook)?))).collect();
        failures.into_iter()
    }

    /// Calls each hook as one hook.
    fn all(&self, call: impl Fn(&dyn Hook) -> HookResult) -> HookResult {
        let failures: Vec<String> = self.each(call).map(|(hook, reason)| format!("hook {hook}: {reason}")).collect();
        if failures.is_empty() { Ok(()) } else { Err(Box::new(ChainFailure(failures))) }
    }
}

impl fmt::Debug for HookChain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("HookChain").field(&self.0.len()).finish()
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

/// A chain is a hook, so that chains can be nested.
impl Hook for HookChain {
    fn iteration_start(&self, event: &IterationStart) -> HookResult {
        self.all(|hook| hook.iteration_start(event))
    }

    fn iteration_end(&self, event: &IterationEnd) -> HookResult {
        self.all(|hook| hook.iteration_end(event))
    }

    fn reflection(&self, event: &Reflection) -> HookResult {
        self.all(|hook| hook.reflection(event))
    }

    fn context_budget(&self, event: &ContextBudget) -> HookResult {
        self.all(|hook| hook.context_budget(event))
    }

    fn compaction_miss(&self, event: &CompactionMiss) -> HookResult {
        self.all(|hook| hook.compaction_miss(event))
    }

    fn tool_validation(&self, event: &ToolValidation) -> HookResult {
        self.all(|hook| hook.tool_validation(event))
    }

    fn dry_run(&self, event: &DryRun) -> HookResult {
        self.all(|hook| hook.dry_run(event))
    }

    fn plan_execution(&self, event: &PlanExecution) -> HookResult {
        self.all(|hook| hook.plan_execution(event))
    }

    fn emitted(&self, event: &Emitted) -> HookResult {
        self.all(|hook| hook.emitted(event))
    }

    fn event(&self, event: &Event) -> HookResult {
        self.all(|hook| hook.event(event))
    }
}
