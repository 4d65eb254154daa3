//! Rules that wait for an answer of a summariser or a person.

use std::collections::VecDeque;
use std::sync::Arc;

use trimtab_language::check::FailureAction;
use trimtab_language::effect::{EffectContext, EffectOutput, IdleReason, Signal, SummaryRequest, Texts, single_result};

use super::{Step, StepStatus};
use crate::run::answer::Answer;
use crate::run::firing::Firing;
use crate::run::guard::Evaluation;
use crate::run::outcome::{Confirmation, DueRule};
use crate::run::texts::{fill, question};

/// A rule that waits for an answer.
#[derive(Clone, Debug)]
pub(super) enum Waiting {
    /// A person has to confirm that the rule acts.
    Confirmation { rule: usize, evaluation: Evaluation },
    /// The rule needs a summary.
    Summary(Box<PendingSummary>),
}

/// A rule that waits for a summary.
#[derive(Clone, Debug)]
pub(super) struct PendingSummary {
    pub(super) rule: usize,
    pub(super) evaluation: Evaluation,
    pub(super) action: usize,
    pub(super) firing: Firing,
    pub(super) texts: Texts,
    pub(super) request: Arc<SummaryRequest>,
    /// The requests of the action after this one.
    pub(super) remaining: Requests,
    /// How often this request may still be retried.
    pub(super) retries: u32,
    /// Why the last answer to this request failed.
    pub(super) reason: String,
    /// Why the first summary of the action that was given up failed.
    pub(super) failure: Option<String>,
}

/// The requests of an action for summaries, in order.
pub(super) type Requests = VecDeque<Arc<SummaryRequest>>;

/// The reason for a failure if no answer has given one.
pub(super) const NO_ANSWER: &str = "no answer was given";

impl Step<'_> {
    /// Returns what a person has to confirm before a rule acts, or `None` if the rule has no `confirm` or nothing to
    /// do.
    pub(super) fn confirmation(&self, rule_index: usize) -> Option<Confirmation> {
        let rule = &self.plan.rules[rule_index];
        let text = rule.confirm.as_ref().filter(|_| self.would_act(rule_index))?;
        Some(Confirmation { rule: rule.name.clone(), question: question(text, &self.current_facts()) })
    }

    /// Whether an action of a rule has something to do now.
    fn would_act(&self, rule_index: usize) -> bool {
        self.plan.rules[rule_index].actions.iter().any(|action| {
            let texts = fill(action, &self.current_facts());
            let progress = self.state.searches.progress(action, &texts, self.conversation);
            let output =
                action.operation().begin(&EffectContext { progress, ..self.effect_context(rule_index, &texts) });
            !matches!(output, EffectOutput::Edits { edits, .. } if edits.is_empty())
        })
    }

    /// Ends a rule that a person declined.
    pub(super) fn decline(&mut self, rule_index: usize, evaluation: &Evaluation) {
        let position = self.state.position();
        if let Some(state) = self.state.rules.get_mut(&self.plan.rules[rule_index].name) {
            state.record_decline(position, evaluation.value);
        }
        if let Some(explanation) = self.progress.outcome.explanations.last_mut() {
            explanation.record_decline();
        }
        let (firing, idle, failure) = (None, Vec::new(), None);
        self.progress.outcome.due.push(DueRule { rule: rule_index, firing, idle, failure, is_declined: true });
    }

    pub(super) fn request_summary(&mut self, pending: PendingSummary) -> StepStatus {
        self.state.summaries += 1;
        let request = Arc::clone(&pending.request);
        self.progress.waiting = Some(Waiting::Summary(Box::new(pending)));
        StepStatus::NeedsSummary(request, self.state.summaries)
    }

    /// Continues with the answer to a question.
    pub(super) fn handle_answer(&mut self, waiting: Waiting, answer: Option<Answer>) -> Option<StepStatus> {
        match waiting {
            Waiting::Confirmation { rule, evaluation } if answer == Some(Answer::Confirmed) => {
                self.run_actions(rule, evaluation, 0, Firing::default())
            }
            Waiting::Confirmation { rule, evaluation } => {
                self.decline(rule, &evaluation);
                None
            }
            Waiting::Summary(pending) => self.handle_summary(*pending, answer),
        }
    }

    fn handle_summary(&mut self, mut pending: PendingSummary, answer: Option<Answer>) -> Option<StepStatus> {
        match answer {
            Some(Answer::Summary(text)) => {
                let plan = self.plan;
                let action = &plan.rules[pending.rule].actions[pending.action];
                let finished = action.operation().finish(
                    &self.effect_context(pending.rule, &pending.texts),
                    &pending.request,
                    &text,
                );
                match finished {
                    Ok(edits) => {
                        self.apply((pending.rule, action), edits, IdleReason::Refused, &mut pending.firing);
                        self.request_next(pending)
                    }
                    Err(reason) => self.handle_failure(pending, reason),
                }
            }
            Some(Answer::Failed(reason)) => self.handle_failure(pending, reason),
            Some(Answer::Retry) => Some(self.request_summary(pending)),
            Some(Answer::Continue | Answer::Confirmed | Answer::Declined | Answer::Strategies(_)) | None => {
                self.give_up(pending)
            }
        }
    }

    /// Continues with the next request of the action. After the last one, continues with the next action, or ends the
    /// rule if a summary was given up.
    fn request_next(&mut self, mut pending: PendingSummary) -> Option<StepStatus> {
        if let Some(request) = pending.remaining.pop_front() {
            pending.request = request;
            pending.retries = self.plan.rules[pending.rule].on_failure.retries;
            NO_ANSWER.clone_into(&mut pending.reason);
            return Some(self.request_summary(pending));
        }
        let PendingSummary { rule, evaluation, action, firing, failure, .. } = pending;
        if failure.is_some() {
            self.finish_rule(rule, &evaluation, firing, failure);
            return None;
        }
        self.run_actions(rule, evaluation, action + 1, firing)
    }

    /// Continues without the summary: the content that it would have replaced stays.
    fn give_up(&mut self, mut pending: PendingSummary) -> Option<StepStatus> {
        self.record_failed_result(&pending);
        let reason = std::mem::take(&mut pending.reason);
        pending.failure.get_or_insert(reason);
        self.request_next(pending)
    }

    /// Counts the failed summaries of a single result, so that the rule stops requesting them after a few failures.
    fn record_failed_result(&mut self, pending: &PendingSummary) {
        if let Some(result) = single_result(&pending.request.messages) {
            let rule = self.plan.rules[pending.rule].name.clone();
            *self.state.failed_summaries.entry(rule).or_default().entry(result.id()).or_default() += 1;
        }
    }

    /// Tries again after a failed answer, or else follows the `on_failure` of the rule.
    fn handle_failure(&mut self, mut pending: PendingSummary, reason: String) -> Option<StepStatus> {
        if pending.retries > 0 {
            pending.retries -= 1;
            return Some(self.request_summary(pending));
        }
        pending.reason = reason;
        let plan = self.plan;
        let rule = &plan.rules[pending.rule];
        match &rule.on_failure.then {
            FailureAction::Ask => {
                let reason = pending.reason.clone();
                self.progress.waiting = Some(Waiting::Summary(Box::new(pending)));
                return Some(StepStatus::NeedsDecision(reason));
            }
            FailureAction::Stop => {
                let text = format!("a summary failed: {}", pending.reason);
                self.progress.outcome.add_signal(&rule.name, Signal::Stop(text));
            }
            FailureAction::Then(action) => {
                // The checker rejects an effect that needs a summary here.
                let _ = self.run_action(pending.rule, action, &mut pending.firing);
            }
            FailureAction::Keep => return self.give_up(pending),
        }
        self.record_failed_result(&pending);
        // Neither the rest of the action nor later actions are run.
        let PendingSummary { rule, evaluation, firing, reason, failure, .. } = pending;
        self.finish_rule(rule, &evaluation, firing, failure.or(Some(reason)));
        None
    }
}
