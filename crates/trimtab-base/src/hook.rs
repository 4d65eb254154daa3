//! Hooks: callbacks of a host for the events of an agent's run.
//!
//! Hooks observe. What they return does not influence the run: rules of a policy do that. The module knows no
//! conversations, policies or facts; its events contain plain values.

mod chain;
mod event;

use std::error::Error;

pub use chain::{HookChain, HookFailure};
pub use event::{
    CompactionMiss, ContextBudget, DryRun, Emitted, Event, FieldValue, HostEvent, IterationEnd, IterationStart,
    Overflow, PlanExecution, Reflection, Status, ToolValidation,
};

/// What a hook returns. An error is reported to the host and changes nothing else.
pub type HookResult = Result<(), Box<dyn Error + Send + Sync>>;

/// Callbacks for the events of a run. Each does nothing unless it is implemented.
///
/// Hooks are called in the order of events, between two steps of the run, so they should be cheap. One hook may be shared
/// by several sessions and called from several threads at once.
#[expect(clippy::missing_errors_doc, reason = "the first callback describes the errors of all")]
pub trait Hook: Send + Sync {
    /// An iteration begins.
    ///
    /// # Errors
    /// The reason that is reported to the host; the same holds for the other callbacks.
    fn iteration_start(&self, _: &IterationStart) -> HookResult {
        Ok(())
    }

    /// An iteration has ended, also if a rule stopped the run in it.
    fn iteration_end(&self, _: &IterationEnd) -> HookResult {
        Ok(())
    }

    /// The host has reviewed an iteration.
    fn reflection(&self, _: &Reflection) -> HookResult {
        Ok(())
    }

    /// A request is about to be sent.
    fn context_budget(&self, _: &ContextBudget) -> HookResult {
        Ok(())
    }

    /// A request is too long for the window, or was rejected as too long.
    fn overflow(&self, _: &Overflow) -> HookResult {
        Ok(())
    }

    /// A call is made again after its result was reduced.
    fn compaction_miss(&self, _: &CompactionMiss) -> HookResult {
        Ok(())
    }

    /// The host has validated a call.
    fn tool_validation(&self, _: &ToolValidation) -> HookResult {
        Ok(())
    }

    /// The host has tried a plan without side effects.
    fn dry_run(&self, _: &DryRun) -> HookResult {
        Ok(())
    }

    /// The host executes a plan.
    fn plan_execution(&self, _: &PlanExecution) -> HookResult {
        Ok(())
    }

    /// A rule of the policy has emitted an event.
    fn emitted(&self, _: &Emitted) -> HookResult {
        Ok(())
    }

    /// Any event: calls the method for it.
    fn event(&self, event: &Event) -> HookResult {
        match event {
            Event::IterationStart(event) => self.iteration_start(event),
            Event::IterationEnd(event) => self.iteration_end(event),
            Event::Reflection(event) => self.reflection(event),
            Event::ContextBudget(event) => self.context_budget(event),
            Event::Overflow(event) => self.overflow(event),
            Event::CompactionMiss(event) => self.compaction_miss(event),
            Event::ToolValidation(event) => self.tool_validation(event),
            Event::DryRun(event) => self.dry_run(event),
            Event::PlanExecution(event) => self.plan_execution(event),
            Event::Emit(event) => self.emitted(event),
        }
    }
}

#[cfg(test)]
mod tests;
