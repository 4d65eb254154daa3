//! Rules that wait for an answer: of a summariser, or of a person.

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
    /// A person has to confirm that it acts.
    Confirmation { rule: usize, evaluation: Evaluation },
    /// It needs a summary.
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
    /// What the action requests after it.
    pub(super) rest: Requests,
    pub(super) retries: u32,
    pub(super) reason: String,
    /// Why the first summary of the action failed that was given up.
    pub(super) failure: Option<String>,
}

/// The requests of an action for summaries, in order.
pub(super) type Requests = VecDeque<Arc<SummaryRequest>>;

/// The reason for a failure until there is another.
pub(super) const NO_ANSWER: &str = "no answer was given";

impl Step<'_> {
    /// Returns what a person has to confirm before a rule acts, or `None` if it does not ask, or has nothing to do.
    pub(super) fn confirmation(&self, at: usize) -> Option<Confirmation> {
        let rule = &self.plan.rules[at];
        let text = rule.confirm.as_ref().filter(|_| self.would_act(at))?;
        Some(Confirmation { rule: rule.name.clone(), question: question(text, &self.current_facts()) })
    }

    /// Whether an action of a rule has something to do now.
    fn would_act(&self, at: usize) -> bool {
        self.plan.rules[at].actions.iter().any(|action| {
            let texts = fill(action, &self.current_facts());
            let progress = self.state.searches.progress(action, &texts, self.conversation);
            let output = action.operation().begin(&EffectContext { progress, ..self.effect_context(at, &texts) });
            !matches!(output, EffectOutput::Edits { edits, .. } if edits.is_empty())
        })
    }

    /// Ends a rule that a person declined.
    pub(super) fn decline(&mut self, at: usize, evaluation: &Evaluation) {
        let position = self.state.position();
        if let Some(state) = self.state.rules.get_mut(&self.plan.rules[at].name) {
            state.record_decline(position, evaluation.value);
        }
        if let Some(explanation) = self.progress.outcome.explanations.last_mut() {
            explanation.record_decline();
        }
        let (firing, idle, failure) = (None, Vec::new(), None);
        self.progress.outcome.due.push(DueRule { rule: at, firing, idle, failure, is_declined: true });
    }

    pub(super) fn request_summary(&mut self, waiting: PendingSummary) -> StepStatus {
        self.state.summaries += 1;
        let request = Arc::clone(&waiting.request);
        self.progress.waiting = Some(Waiting::Summary(Box::new(waiting)));
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

    fn handle_summary(&mut self, mut waiting: PendingSummary, answer: Option<Answer>) -> Option<StepStatus> {
        match answer {
            Some(Answer::Summary(text)) => {
                let plan = self.plan;
                let action = &plan.rules[waiting.rule].actions[waiting.action];
                let finished = action.operation().finish(
                    &self.effect_context(waiting.rule, &waiting.texts),
                    &waiting.request,
                    &text,
                );
                match finished {
                    Ok(edits) => {
                        self.apply((waiting.rule, action), edits, IdleReason::Refused, &mut waiting.firing);
                        self.request_next(waiting)
                    }
                    Err(reason) => self.handle_failure(waiting, reason),
                }
            }
            Some(Answer::Failed(reason)) => self.handle_failure(waiting, reason),
            Some(Answer::Retry) => Some(self.request_summary(waiting)),
            Some(Answer::Continue | Answer::Confirmed | Answer::Declined | Answer::Strategies(_)) | None => {
                self.give_up(waiting)
            }
        }
    }

    /// Goes on with the next request of an action, or with the next action if no summary was given up.
    fn request_next(&mut self, mut waiting: PendingSummary) -> Option<StepStatus> {
        if let Some(request) = waiting.rest.pop_front() {
            waiting.request = request;
            waiting.retries = self.plan.rules[waiting.rule].on_failure.retries;
            NO_ANSWER.clone_into(&mut waiting.reason);
            return Some(self.request_summary(waiting));
        }
        let PendingSummary { rule, evaluation, action, firing, failure, .. } = waiting;
        if failure.is_some() {
            self.finish_rule(rule, &evaluation, firing, failure);
            return None;
        }
        self.run_actions(rule, evaluation, action + 1, firing)
    }

    /// Goes on without a summary: what it would have replaced stays.
    fn give_up(&mut self, mut waiting: PendingSummary) -> Option<StepStatus> {
        self.note_failure(&waiting);
        let reason = std::mem::take(&mut waiting.reason);
        waiting.failure.get_or_insert(reason);
        self.request_next(waiting)
    }

    /// Counts the failures of a result, which is not asked for without end.
    fn note_failure(&mut self, waiting: &PendingSummary) {
        if let Some(result) = single_result(&waiting.request.messages) {
            let rule = self.plan.rules[waiting.rule].name.clone();
            *self.state.failed_summaries.entry(rule).or_default().entry(result.id()).or_default() += 1;
        }
    }

    fn handle_failure(&mut self, mut waiting: PendingSummary, reason: String) -> Option<StepStatus> {
        if waiting.retries > 0 {
            waiting.retries -= 1;
            return Some(self.request_summary(waiting));
        }
        waiting.reason = reason;
        let plan = self.plan;
        let rule = &plan.rules[waiting.rule];
        match &rule.on_failure.then {
            FailureAction::Ask => {
                let question = waiting.reason.clone();
                self.progress.waiting = Some(Waiting::Summary(Box::new(waiting)));
                return Some(StepStatus::NeedsDecision(question));
            }
            FailureAction::Stop => {
                let text = format!("a summary failed: {}", waiting.reason);
                self.progress.outcome.add_signal(&rule.name, Signal::Stop(text));
            }
            FailureAction::Then(action) => {
                // The checker rejects an effect that needs a summary here.
                let _ = self.run_action(waiting.rule, action, &mut waiting.firing);
            }
            FailureAction::Keep => return self.give_up(waiting),
        }
        self.note_failure(&waiting);
        // Neither the rest of the action nor later actions are run.
        let PendingSummary { rule, evaluation, firing, reason, failure, .. } = waiting;
        self.finish_rule(rule, &evaluation, firing, failure.or(Some(reason)));
        None
    }
}
