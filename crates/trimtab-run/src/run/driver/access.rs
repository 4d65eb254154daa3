//! What can be read from a driver between two events.

use std::borrow::Borrow;
use std::sync::Arc;

use trimtab_base::conversation::{AppliedEdit, Conversation, Miss, SentMessage, Views, Violation};
use trimtab_base::playbook::Playbook;
use trimtab_base::quantity::Decimal;
use trimtab_language::fact::{Facts, RunHistory, Spending};
use trimtab_language::plan::Plan;

use super::{Driver, PhaseOptions};
use crate::run::environment::Environment;
use crate::run::overrides::OverriddenFacts;
use crate::run::requests::Requests;

impl<P: Borrow<Plan>> Driver<P> {
    /// The conversation.
    pub const fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        self.plan.borrow()
    }

    /// The plan as it was given.
    pub const fn shared_plan(&self) -> &P {
        &self.plan
    }

    /// What is read besides plan and conversation.
    pub const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// What is different in the next request.
    pub const fn views(&self) -> &Views {
        &self.state.views
    }

    /// The requests so far, as far as the next one is compared with them.
    pub const fn requests(&self) -> &Requests {
        &self.state.requests
    }

    /// The messages of the next request.
    pub fn request(&self) -> Vec<SentMessage<'_>> {
        self.state.views.request(&self.conversation)
    }

    /// What the session has learned.
    pub const fn playbook(&self) -> &Playbook {
        &self.state.playbook
    }

    /// Whether there was a call.
    pub const fn has_called(&self) -> bool {
        self.has_called
    }

    /// The current run.
    pub const fn run(&self) -> &RunHistory {
        &self.state.run
    }

    /// The usage of all runs.
    pub const fn spent(&self) -> Spending {
        self.state.session.spent
    }

    /// The factor by which the host should keep more of the results of a tool; 1 if no rule has boosted it in this run.
    pub fn boost(&self, tool: &str) -> u64 {
        self.state.boost(tool)
    }

    /// The index of the rule that has stopped the run.
    pub const fn stopped_by(&self) -> Option<usize> {
        self.stopped_by
    }

    /// The facts as a rule would read them now.
    pub fn facts<'s>(&'s self, options: PhaseOptions<'s>) -> impl Facts + 's {
        let moment = self.state.moment(&self.conversation, &self.environment, self.request_tokens());
        OverriddenFacts { overrides: options.overrides, moment }
    }

    /// The edits since the last call; empty unless the conversation keeps them.
    pub fn take_edits(&mut self) -> Vec<AppliedEdit> {
        self.conversation.take_edits()
    }

    /// The calls of the last reply whose newest result a rule had reduced or removed.
    pub fn misses(&self) -> &[Arc<Miss>] {
        &self.misses
    }

    /// Returns the cost of the summaries since the last call, or `None` if there was none, or no price is known.
    pub fn take_summary_cost(&mut self) -> Option<Decimal> {
        self.summary_cost.take()
    }

    /// The invariants that edits have violated since the last call; empty unless the conversation checks them.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        self.conversation.take_violations()
    }
}
