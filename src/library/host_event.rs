//! What only a host knows about a run, and reports to its session.

use trimtab_base::hook::{DryRun, HostEvent, PlanExecution, Reflection, ToolValidation};

use super::session::{Next, Session};

/// Events of the host: the hooks get them, and the rules of their phase run. Before the first request nothing happens.
impl Session {
    /// Reports the review of the last iteration, which ends with it, and runs the rules on `reflection`.
    pub fn reflection(&mut self, monologue: &str, should_proceed: bool) -> Next {
        self.report(reflection(monologue, should_proceed))
    }

    /// Reports whether a call is allowed, and runs the rules on `tool_validation`. `reason` is empty if it is.
    pub fn tool_validation(&mut self, tool: &str, allowed: bool, reason: &str) -> Next {
        self.report(tool_validation(tool, allowed, reason))
    }

    /// Reports that a plan was tried without side effects, and runs the rules on `dry_run`.
    pub fn dry_run<S: AsRef<str>>(&mut self, steps: u64, tools: impl IntoIterator<Item = S>, cost: &str) -> Next {
        self.report(dry_run(steps, tools, cost))
    }

    /// Reports that a plan is executed, and runs the rules on `plan_execution`. `flow` is how its steps are executed, such
    /// as `sequence`, `parallel` or `fallback`.
    pub fn plan_execution<S: AsRef<str>>(&mut self, flow: &str, steps: impl IntoIterator<Item = S>) -> Next {
        self.report(plan_execution(flow, steps))
    }
}

pub(super) fn reflection(monologue: &str, should_proceed: bool) -> HostEvent {
    // The session knows the iteration.
    HostEvent::Reflection(Reflection { iteration: 0, monologue: monologue.to_owned(), should_proceed })
}

pub(super) fn tool_validation(tool: &str, allowed: bool, reason: &str) -> HostEvent {
    HostEvent::ToolValidation(ToolValidation { tool: tool.to_owned(), allowed, reason: reason.to_owned() })
}

pub(super) fn dry_run<S: AsRef<str>>(steps: u64, tools: impl IntoIterator<Item = S>, cost: &str) -> HostEvent {
    HostEvent::DryRun(DryRun { planned_steps: steps, tools_used: owned(tools), estimated_cost: cost.to_owned() })
}

pub(super) fn plan_execution<S: AsRef<str>>(flow: &str, steps: impl IntoIterator<Item = S>) -> HostEvent {
    let step_names = owned(steps);
    let step_count = u64::try_from(step_names.len()).unwrap_or(u64::MAX);
    HostEvent::PlanExecution(PlanExecution { flow: flow.to_owned(), step_count, step_names })
}

fn owned<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Vec<String> {
    texts.into_iter().map(|text| text.as_ref().to_owned()).collect()
}
