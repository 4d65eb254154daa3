//! One phase of a plan over a conversation. It pauses where a summary is needed.

mod waiting;

use std::sync::Arc;

use trimtab_base::conversation::{Change, Conversation, Edit, View};
use trimtab_language::check::Action;
use trimtab_language::effect::{
    EffectContext, EffectOutput, IdleReason, Restoration, SearchProgress, Signal, SummaryRequest, Texts,
};
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;

use self::waiting::{NO_ANSWER, PendingSummary, Requests, Waiting};
use super::answer::Answer;
use super::environment::Environment;
use super::explanation::{When, explain};
use super::firing::{Firing, IdleAction};
use super::guard::{Evaluation, evaluate};
use super::outcome::{Confirmation, DueRule, Outcome};
use super::overrides::{FactOverrides, OverriddenFacts};
use super::rule_state::RuleState;
use super::state::State;
use super::texts::fill;

/// What a step reads besides plan, state and conversation.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The phase.
    pub phase: Phase,
    /// The counter, the window, the tools and the prices.
    pub environment: &'a Environment,
    /// Facts with given values, as in a test.
    pub overrides: Option<&'a dyn FactOverrides>,
    /// Whether the outcome should explain each rule.
    pub explain: bool,
}

/// The status of a step when it returns to its caller.
#[derive(Debug)]
pub enum StepStatus {
    /// It needs a summary; the number counts the summaries of the session from 1.
    NeedsSummary(Arc<SummaryRequest>, u64),
    /// A person has to confirm that a rule acts.
    NeedsConfirmation(Confirmation),
    /// A summary failed for this reason, and a person has to decide whether to try again.
    NeedsDecision(String),
    /// The phase is done.
    Done(Box<Outcome>),
}

/// One phase of a plan, while it runs.
pub struct Step<'a> {
    plan: &'a Plan,
    state: &'a mut State,
    conversation: &'a mut Conversation,
    context: StepContext<'a>,
    progress: StepProgress,
}

/// How far a phase has come.
#[derive(Clone, Debug, Default)]
pub(super) struct StepProgress {
    /// The index of the next rule.
    next: usize,
    outcome: Outcome,
    waiting: Option<Waiting>,
}

impl<'a> Step<'a> {
    /// Begins a phase. Nothing happens until [`Step::resume`] is called, the first time without an answer.
    pub fn begin(
        plan: &'a Plan,
        state: &'a mut State,
        conversation: &'a mut Conversation,
        context: StepContext<'a>,
    ) -> Self {
        Self::restore(plan, state, conversation, context, StepProgress::default())
    }

    /// Continues a phase that has come this far.
    pub(super) const fn restore(
        plan: &'a Plan,
        state: &'a mut State,
        conversation: &'a mut Conversation,
        context: StepContext<'a>,
        progress: StepProgress,
    ) -> Self {
        Self { plan, state, conversation, context, progress }
    }

    /// How far the phase has come.
    pub(super) fn into_progress(self) -> StepProgress {
        self.progress
    }

    /// The requests for summaries that the same action makes after the pending one, unless a failure ends the action
    /// first.
    pub(super) fn upcoming_summaries(progress: &StepProgress) -> Vec<Arc<SummaryRequest>> {
        match &progress.waiting {
            Some(Waiting::Summary(pending)) => pending.remaining.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Continues until the phase is done or the step pauses. An answer is ignored if nothing was requested.
    pub fn resume(&mut self, answer: Option<Answer>) -> StepStatus {
        if let Some(waiting) = self.progress.waiting.take()
            && let Some(status) = self.handle_answer(waiting, answer)
        {
            return status;
        }
        while self.progress.next < self.plan.rules.len() && self.progress.outcome.stop().is_none() {
            let rule_index = self.progress.next;
            self.progress.next += 1;
            if self.plan.rules[rule_index].phase == self.context.phase
                && let Some(status) = self.process_rule(rule_index)
            {
                return status;
            }
        }
        StepStatus::Done(Box::new(std::mem::take(&mut self.progress.outcome)))
    }

    /// Evaluates the rules of the phase without running their effects: every rule that is due counts as fired.
    /// `confirms` answers the next question in place of a person.
    pub fn skip_effects(mut self, confirms: &mut dyn FnMut() -> bool) -> Outcome {
        for rule_index in 0..self.plan.rules.len() {
            if self.plan.rules[rule_index].phase == self.context.phase {
                let evaluation = self.evaluate_rule(rule_index);
                let is_due = evaluation.is_due();
                if is_due && self.plan.rules[rule_index].confirm.is_some() && !confirms() {
                    self.decline(rule_index, &evaluation);
                } else if is_due {
                    let firing = Firing { effects_without_edits: 1, ..Firing::default() };
                    self.finish_rule(rule_index, &evaluation, firing, None);
                }
            }
        }
        self.progress.outcome
    }

    /// Evaluates a rule and runs its actions if it is due. Returns a status if the step has to pause.
    fn process_rule(&mut self, rule_index: usize) -> Option<StepStatus> {
        let evaluation = self.evaluate_rule(rule_index);
        if !evaluation.is_due() {
            return None;
        }
        match self.confirmation(rule_index) {
            Some(confirmation) => {
                self.progress.waiting = Some(Waiting::Confirmation { rule: rule_index, evaluation });
                Some(StepStatus::NeedsConfirmation(confirmation))
            }
            None => self.run_actions(rule_index, evaluation, 0, Firing::default()),
        }
    }

    /// Evaluates the condition and the guards of a rule.
    fn evaluate_rule(&mut self, rule_index: usize) -> Evaluation {
        let plan = self.plan;
        let rule = &plan.rules[rule_index];
        let mut state = self.state.rules.get(&rule.name).cloned().unwrap_or_default();
        let position = self.state.position();
        let evaluation = evaluate(rule, &mut state, &self.current_facts(), position);
        if let Some(stored) = self.state.rules.get_mut(&rule.name) {
            *stored = state;
        }
        if self.context.explain {
            let fresh = RuleState::default();
            let when = When { position, state: self.state.rules.get(&rule.name).unwrap_or(&fresh) };
            let explanation = explain(rule, &evaluation, &self.current_facts(), when);
            self.progress.outcome.explanations.push(explanation);
        }
        evaluation
    }

    /// Runs the actions of a rule from the one with the index `first_action` on. Returns a status if the step has to
    /// pause.
    fn run_actions(
        &mut self,
        rule_index: usize,
        evaluation: Evaluation,
        first_action: usize,
        mut firing: Firing,
    ) -> Option<StepStatus> {
        let plan = self.plan;
        let rule = &plan.rules[rule_index];
        for (action_index, action) in rule.actions.iter().enumerate().skip(first_action) {
            if let Some((texts, mut requests)) = self.run_action(rule_index, action, &mut firing)
                && let Some(request) = requests.pop_front()
            {
                let pending = PendingSummary {
                    rule: rule_index,
                    evaluation,
                    action: action_index,
                    firing,
                    texts,
                    request,
                    remaining: requests,
                    retries: rule.on_failure.retries,
                    reason: NO_ANSWER.to_owned(),
                    failure: None,
                };
                return Some(self.request_summary(pending));
            }
        }
        self.finish_rule(rule_index, &evaluation, firing, None);
        None
    }

    /// Runs one action. If it needs summaries, returns its texts and its requests.
    fn run_action(&mut self, rule_index: usize, action: &Action, firing: &mut Firing) -> Option<(Texts, Requests)> {
        let invalid_before = self.state.requests.invalid();
        let texts = fill(action, &self.current_facts());
        let progress = self.state.searches.progress(action, &texts, self.conversation);
        match action.operation().begin(&EffectContext { progress, ..self.effect_context(rule_index, &texts) }) {
            EffectOutput::Edits { edits, shortfall, progress, idle_reason } => {
                self.state.searches.record(action, texts, self.conversation.mark(), progress);
                self.apply((rule_index, action), edits, idle_reason, firing);
                firing.shortfall = firing.shortfall.max(self.remaining_shortfall(shortfall, invalid_before));
            }
            EffectOutput::Restore(restoration) => self.restore_part((rule_index, action), restoration, firing),
            EffectOutput::View { view, lifetime, shortfall } => {
                firing.injections += usize::from(matches!(view, View::Message(_)));
                firing.effects_without_edits += 1;
                let before = self.state.views.size(self.conversation);
                self.state.views.add(view, lifetime);
                self.state.requests.record_view(rule_index);
                self.state.count_request(self.conversation, self.context.environment);
                let after = self.state.views.size(self.conversation);
                firing.view_savings.push((lifetime, after.saved_from(before)));
                firing.shortfall = firing.shortfall.max(self.remaining_shortfall(shortfall, invalid_before));
            }
            EffectOutput::Signal(signal) => {
                firing.effects_without_edits += 1;
                if let Signal::Boost { tool, factor } = &signal {
                    self.state.boosts.insert(tool.into(), *factor);
                }
                self.progress.outcome.add_signal(&self.plan.rules[rule_index].name, signal);
            }
            EffectOutput::NeedsSummaries { requests, progress } => {
                if progress != SearchProgress::default() {
                    self.state.searches.record(action, texts.clone(), self.conversation.mark(), progress);
                }
                return Some((texts, requests));
            }
        }
        None
    }

    /// Subtracts the reasoning tokens that the last action has made invalid, which its effect could not foresee, from
    /// the shortfall. `invalid_before` is the number of invalid reasoning tokens before the action.
    const fn remaining_shortfall(&self, shortfall: u64, invalid_before: u64) -> u64 {
        shortfall.saturating_sub(self.state.requests.invalid().saturating_sub(invalid_before))
    }

    /// Restores a part and protects it.
    fn restore_part(&mut self, action: (usize, &Action), restoration: Restoration, firing: &mut Firing) {
        let Restoration { message, part, iterations } = restoration;
        let before = firing.receipts.len();
        self.apply(action, vec![Edit::Restore { message, part }], IdleReason::Refused, firing);
        if firing.receipts.len() > before {
            let last = iterations.map(|iterations| self.state.run.iteration.saturating_add(iterations));
            self.state.protected_parts.insert((message, part), last);
            self.conversation.protect(message, part);
        }
    }

    /// Applies the edits of an action of the rule with this index; `idle_reason` says why there are none.
    fn apply(
        &mut self,
        (rule, action): (usize, &Action),
        edits: Vec<Edit>,
        idle_reason: IdleReason,
        firing: &mut Firing,
    ) {
        let reason = if edits.is_empty() { idle_reason } else { IdleReason::Refused };
        let (before, mut compacts) = (firing.receipts.len(), false);
        for receipt in self.conversation.apply(edits, &*self.context.environment.counter) {
            match receipt.change {
                Change::Reduced(_) | Change::Restored(_) | Change::Removed(_) => {}
                Change::Summarised(_) => firing.summaries += 1,
                Change::Appended => firing.injections += 1,
            }
            compacts |= receipt.change.is_compaction();
            firing.receipts.push(receipt);
        }
        if compacts {
            self.state.record_compaction();
        }
        self.state.requests.record_edits(rule, &firing.receipts[before..]);
        self.state.count_request(self.conversation, self.context.environment);
        if firing.receipts.len() == before {
            firing.idle.push(IdleAction { action: action.title(), reason });
        }
    }

    /// Records what a rule that was due did, or why its summary failed.
    fn finish_rule(&mut self, rule_index: usize, evaluation: &Evaluation, firing: Firing, failure: Option<String>) {
        let name = &self.plan.rules[rule_index].name;
        let fired = firing.is_effective();
        let position = self.state.position();
        if let Some(state) = self.state.rules.get_mut(name) {
            match (fired, &failure) {
                (true, _) => state.record_firing(position, evaluation.value, &evaluation.seen),
                (false, Some(_)) => state.record_attempt(position),
                (false, None) => {}
            }
            state.count_failures(failure.is_some(), fired);
        }
        if let Some(explanation) = self.progress.outcome.explanations.last_mut() {
            explanation.record_firing(&firing, fired, failure.as_ref());
        }
        let (firing, idle) = if fired { (Some(firing), Vec::new()) } else { (None, firing.idle) };
        self.progress.outcome.due.push(DueRule { rule: rule_index, firing, idle, failure, is_declined: false });
    }

    fn effect_context<'s>(&'s self, rule: usize, texts: &'s Texts) -> EffectContext<'s> {
        EffectContext {
            conversation: self.conversation,
            counter: &self.context.environment.counter,
            tokens: self.tokens(),
            window: self.context.environment.window.filter(|&window| window > 0),
            playbook: &self.state.playbook,
            tools: &self.context.environment.tools,
            recall: self.context.environment.recall,
            views: &self.state.views,
            texts,
            miss: self.state.miss(),
            boost: self.state.miss().map_or(1, |miss| self.state.boost(&miss.tool)),
            progress: SearchProgress::default(),
            redundancy: &self.state.redundancy,
            removals: &self.state.removals,
            tails: &self.state.tails,
            latest: &self.state.latest,
            skipped: &self.state.skipped,
            failed: self.state.failed_summaries.get(&self.plan.rules[rule].name),
            explain: self.context.explain,
        }
    }

    fn tokens(&self) -> u64 {
        self.state.tokens(self.conversation)
    }

    fn current_facts(&self) -> OverriddenFacts<'_> {
        let moment = self.state.moment(self.conversation, self.context.environment, self.tokens());
        OverriddenFacts { overrides: self.context.overrides, moment }
    }
}
