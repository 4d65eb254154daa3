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

    /// The requests for summaries that the same action makes after the pending one, unless an answer ends it.
    pub(super) fn upcoming_summaries(progress: &StepProgress) -> Vec<Arc<SummaryRequest>> {
        match &progress.waiting {
            Some(Waiting::Summary(pending)) => pending.rest.iter().cloned().collect(),
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
            let at = self.progress.next;
            self.progress.next += 1;
            if self.plan.rules[at].phase == self.context.phase
                && let Some(status) = self.attempt(at)
            {
                return status;
            }
        }
        StepStatus::Done(Box::new(std::mem::take(&mut self.progress.outcome)))
    }

    /// Tries the rules of the phase without running their effects: every rule that is due counts as fired. `confirms` says how a
    /// person answers the next question.
    pub fn skip_effects(mut self, confirms: &mut dyn FnMut() -> bool) -> Outcome {
        for at in 0..self.plan.rules.len() {
            if self.plan.rules[at].phase == self.context.phase {
                let evaluation = self.try_rule(at);
                let is_due = evaluation.is_due();
                if is_due && self.plan.rules[at].confirm.is_some() && !confirms() {
                    self.decline(at, &evaluation);
                } else if is_due {
                    self.finish_rule(at, &evaluation, Firing { signals: 1, ..Firing::default() }, None);
                }
            }
        }
        self.progress.outcome
    }

    fn attempt(&mut self, at: usize) -> Option<StepStatus> {
        let evaluation = self.try_rule(at);
        if !evaluation.is_due() {
            return None;
        }
        match self.confirmation(at) {
            Some(confirmation) => {
                self.progress.waiting = Some(Waiting::Confirmation { rule: at, evaluation });
                Some(StepStatus::NeedsConfirmation(confirmation))
            }
            None => self.run_actions(at, evaluation, 0, Firing::default()),
        }
    }

    /// Evaluates the condition and the guards of a rule.
    fn try_rule(&mut self, at: usize) -> Evaluation {
        let plan = self.plan;
        let rule = &plan.rules[at];
        let mut state = self.state.rules.get(&rule.name).cloned().unwrap_or_default();
        let at = self.state.position();
        let evaluation = evaluate(rule, &mut state, &self.current_facts(), at);
        if let Some(kept) = self.state.rules.get_mut(&rule.name) {
            *kept = state;
        }
        if self.context.explain {
            let fresh = RuleState::default();
            let when = When { at, state: self.state.rules.get(&rule.name).unwrap_or(&fresh) };
            let explanation = explain(rule, &evaluation, &self.current_facts(), when);
            self.progress.outcome.explanations.push(explanation);
        }
        evaluation
    }

    /// Runs the actions of a rule, starting with one of them.
    fn run_actions(
        &mut self,
        at: usize,
        evaluation: Evaluation,
        from: usize,
        mut firing: Firing,
    ) -> Option<StepStatus> {
        let plan = self.plan;
        let rule = &plan.rules[at];
        for (index, action) in rule.actions.iter().enumerate().skip(from) {
            if let Some((texts, mut requests)) = self.run_action(at, action, &mut firing)
                && let Some(request) = requests.pop_front()
            {
                let (retries, failure) = (rule.on_failure.retries, None);
                let reason = NO_ANSWER.to_owned();
                let action = index;
                let waiting = PendingSummary {
                    rule: at,
                    evaluation,
                    action,
                    firing,
                    texts,
                    request,
                    rest: requests,
                    retries,
                    reason,
                    failure,
                };
                return Some(self.request_summary(waiting));
            }
        }
        self.finish_rule(at, &evaluation, firing, None);
        None
    }

    /// Runs one action. Returns its texts and its requests when it needs summaries.
    fn run_action(&mut self, at: usize, action: &Action, firing: &mut Firing) -> Option<(Texts, Requests)> {
        let invalid = self.state.requests.invalid();
        let texts = fill(action, &self.current_facts());
        let progress = self.state.searches.progress(action, &texts, self.conversation);
        match action.operation().begin(&EffectContext { progress, ..self.effect_context(at, &texts) }) {
            EffectOutput::Edits { edits, shortfall, progress, idle_reason } => {
                self.state.searches.record(action, texts, self.conversation.mark(), progress);
                self.apply((at, action), edits, idle_reason, firing);
                firing.shortfall = firing.shortfall.max(self.remaining(shortfall, invalid));
            }
            EffectOutput::Restore(restoration) => self.restore_part((at, action), restoration, firing),
            EffectOutput::View { view, lifetime, shortfall } => {
                firing.injections += usize::from(matches!(view, View::Message(_)));
                firing.signals += 1;
                let before = self.state.views.size(self.conversation);
                self.state.views.add(view, lifetime);
                self.state.requests.record_view(at);
                self.state.count_request(self.conversation, self.context.environment);
                let after = self.state.views.size(self.conversation);
                firing.view_savings.push((lifetime, after.saved_from(before)));
                firing.shortfall = firing.shortfall.max(self.remaining(shortfall, invalid));
            }
            EffectOutput::Signal(signal) => {
                firing.signals += 1;
                if let Signal::Boost { tool, factor } = &signal {
                    self.state.boosts.insert(tool.into(), *factor);
                }
                self.progress.outcome.add_signal(&self.plan.rules[at].name, signal);
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

    /// The shortfall minus the tokens of reasoning that the last action has made invalid, which no effect foresees. `invalid` is
    /// their number before the action.
    const fn remaining(&self, shortfall: u64, invalid: u64) -> u64 {
        shortfall.saturating_sub(self.state.requests.invalid().saturating_sub(invalid))
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

    /// Applies the edits of an action of the rule at an index; `idle_reason` is the reason if there are none.
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

    fn finish_rule(&mut self, at: usize, evaluation: &Evaluation, firing: Firing, failure: Option<String>) {
        let name = &self.plan.rules[at].name;
        let fired = firing.is_effective();
        let position = self.state.position();
        if let Some(state) = self.state.rules.get_mut(name) {
            match (fired, &failure) {
                (true, _) => state.record_firing(position, evaluation.value, &evaluation.seen),
                (false, Some(_)) => state.record_attempt(position),
                (false, None) => {}
            }
            state.record_failure(failure.is_some(), fired);
        }
        if let Some(explanation) = self.progress.outcome.explanations.last_mut() {
            explanation.record_firing(&firing, fired, failure.as_ref());
        }
        let (firing, idle) = if fired { (Some(firing), Vec::new()) } else { (None, firing.idle) };
        self.progress.outcome.due.push(DueRule { rule: at, firing, idle, failure, is_declined: false });
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
