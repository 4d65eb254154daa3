//! One phase of a plan over a conversation, interrupted where a summary is needed.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::explanation::{When, explain};
use super::fact_source::{FactOverrides, FactSource};
use super::fill;
use super::guard::{Trial, attempt};
use super::outcome::{Firing, IdleAction, Notice, Outcome, Stop, Tried};
use super::state::{RuleState, State};
use crate::check::{Action, Failing, Rule};
use crate::conversation::{Change, Conversation, Counter, Edit};
use crate::effect::{Act, Arguments, Effect, Idle, Scene, Searched, SummaryRequest};
use crate::fact::{Facts, Moment, Spending};
use crate::phase::Phase;
use crate::plan::Plan;

/// What a step needs to know beside plan, state and conversation.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The phase.
    pub phase: Phase,
    /// The token counter.
    pub counter: &'a dyn Counter,
    /// The context window; none when it is unknown.
    pub window: Option<u64>,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// The declared tools.
    pub tools: &'a BTreeSet<SmolStr>,
    /// Values that replace those read from the conversation, as in a test.
    pub overrides: Option<&'a dyn FactOverrides>,
    /// Whether the outcome should explain every rule.
    pub explain: bool,
}

/// An answer to a question of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The summary.
    Summary(String),
    /// Why there is none.
    Failed(String),
    /// A person wants the summary to be tried again.
    Again,
    /// A person wants to go on without it.
    GoOn,
}

/// Where a step stands.
#[derive(Debug)]
pub enum Pause {
    /// It needs a summary; the number counts the summaries of the session from 1.
    Summary(Box<SummaryRequest>, u64),
    /// A summary failed for this reason, and a person is to say whether to try again.
    Person(String),
    /// It is done.
    Done(Box<Outcome>),
}

/// A phase in the course of being carried out.
pub struct Step<'a> {
    plan: &'a Plan,
    state: &'a mut State,
    conversation: &'a mut Conversation,
    setting: Setting<'a>,
    next: usize,
    outcome: Outcome,
    viewed: u64,
    waiting: Option<Waiting>,
}

/// A rule whose summary has been asked for.
struct Waiting {
    rule: usize,
    trial: Trial,
    action: usize,
    firing: Firing,
    effect: &'static Effect,
    arguments: Arguments,
    request: Box<SummaryRequest>,
    retries: u32,
    reason: String,
}

impl<'a> Step<'a> {
    /// Begins a phase; nothing happens until [`Step::resume`] is called, first with no answer.
    pub fn begin(
        plan: &'a Plan,
        state: &'a mut State,
        conversation: &'a mut Conversation,
        setting: Setting<'a>,
    ) -> Self {
        let outcome = Outcome::default();
        Self { plan, state, conversation, setting, next: 0, outcome, viewed: 0, waiting: None }
    }

    /// Goes on until the phase is done or the next question. An answer to no question is ignored.
    pub fn resume(&mut self, answer: Option<Answer>) -> Pause {
        if let Some(waiting) = self.waiting.take()
            && let Some(pause) = self.answered(waiting, answer)
        {
            return pause;
        }
        while self.next < self.plan.rules.len() && self.outcome.stop.is_none() {
            let at = self.next;
            self.next += 1;
            if self.plan.rules[at].phase == self.setting.phase
                && let Some(pause) = self.attempt(at)
            {
                return pause;
            }
        }
        Pause::Done(Box::new(std::mem::take(&mut self.outcome)))
    }

    /// Tries the rules of the phase without carrying anything out: every rule that is due fires.
    pub fn dry_run(mut self) -> Outcome {
        for at in 0..self.plan.rules.len() {
            if self.plan.rules[at].phase == self.setting.phase {
                let trial = self.tried(at);
                if trial.is_due() {
                    self.end(at, &trial, Firing { signals: 1, ..Firing::default() }, None);
                }
            }
        }
        self.outcome
    }

    /// The facts as a rule would read them now; `viewed` tokens are sent beside the conversation.
    pub fn facts(&mut self, viewed: u64) -> impl Facts {
        self.viewed = viewed;
        self.source()
    }

    /// Adds what a summary has used to the run and the session, before its answer is handed in.
    pub fn spend(&mut self, used: Spending) {
        self.state.spend(used);
    }

    fn attempt(&mut self, at: usize) -> Option<Pause> {
        let trial = self.tried(at);
        if trial.is_due() { self.act(at, trial, 0, Firing::default()) } else { None }
    }

    /// Reads condition and guards of a rule, and explains them when that is wanted.
    fn tried(&mut self, at: usize) -> Trial {
        let plan = self.plan;
        let rule = &plan.rules[at];
        let mut memory = self.state.rules.get(&rule.name).cloned().unwrap_or_default();
        let iteration = self.state.run.iteration;
        let trial = attempt(rule, &mut memory, &self.source(), iteration);
        if let Some(known) = self.state.rules.get_mut(&rule.name) {
            *known = memory;
        }
        if self.setting.explain {
            let fresh = RuleState::default();
            let when = When { iteration, memory: self.state.rules.get(&rule.name).unwrap_or(&fresh) };
            let explanation = explain(rule, &trial, &self.source(), when);
            self.outcome.explanation.push(explanation);
        }
        trial
    }

    /// Carries out a rule's actions from one of them on.
    fn act(&mut self, at: usize, trial: Trial, from: usize, mut firing: Firing) -> Option<Pause> {
        let plan = self.plan;
        let rule = &plan.rules[at];
        for (action, one) in rule.actions.iter().enumerate().skip(from) {
            if let Some((effect, arguments, request)) = self.carry_out(rule, one, &mut firing) {
                let retries = rule.on_failure.retries;
                let reason = "no answer came".to_owned();
                let waiting = Waiting { rule: at, trial, action, firing, effect, arguments, request, retries, reason };
                return Some(self.ask(waiting));
            }
        }
        self.end(at, &trial, firing, None);
        None
    }

    /// Carries out one action; gives what it asks a summariser.
    fn carry_out(&mut self, rule: &Rule, action: &Action, firing: &mut Firing) -> Option<Question> {
        let arguments = fill::arguments(action, &self.source());
        let searched = self.state.searches.known(action, &arguments, self.conversation);
        match (action.effect.begin)(&Scene { searched, ..self.scene() }, &arguments) {
            Act::Edits { edits, short, searched, idle } => {
                firing.short = firing.short.max(short);
                self.state.searches.note(action, arguments, self.conversation.mark(), searched);
                self.apply(action, edits, idle, firing);
            }
            Act::View(message) => {
                self.viewed += self.setting.counter.message(&message);
                firing.injections += 1;
                firing.signals += 1;
                self.outcome.views.push(*message);
            }
            Act::Notify(text) => {
                firing.signals += 1;
                self.outcome.notices.push(Notice { rule: rule.name.clone(), text });
            }
            Act::Stop(text) => {
                firing.signals += 1;
                self.outcome.stop = Some(Stop { rule: rule.name.clone(), text });
            }
            Act::Ask(request) => return Some((action.effect, arguments, request)),
        }
        None
    }

    /// Carries out the edits of an action; `idle` says why there are none, if there are none.
    fn apply(&mut self, action: &Action, edits: Vec<Edit>, idle: Idle, firing: &mut Firing) {
        let reason = if edits.is_empty() { idle } else { Idle::Refused };
        let before = firing.receipts.len();
        for receipt in self.conversation.apply(edits, self.setting.counter) {
            match receipt.change {
                Change::Reduced(_) => {}
                Change::Condensed(_) => firing.summaries += 1,
                Change::Appended => firing.injections += 1,
            }
            firing.receipts.push(receipt);
        }
        if firing.receipts.len() == before {
            let action = format!("{} {}", action.effect.name, action.target).trim_end().to_owned();
            firing.idle.push(IdleAction { action, reason });
        }
    }

    fn ask(&mut self, waiting: Waiting) -> Pause {
        self.state.summaries += 1;
        let request = waiting.request.clone();
        self.waiting = Some(waiting);
        Pause::Summary(request, self.state.summaries)
    }

    fn answered(&mut self, mut waiting: Waiting, answer: Option<Answer>) -> Option<Pause> {
        match answer {
            Some(Answer::Summary(text)) => {
                let made = waiting
                    .effect
                    .finish
                    .map_or_else(|| Ok(Vec::new()), |finish| finish(&self.scene(), &waiting.arguments, &text));
                match made {
                    Ok(edits) => {
                        let plan = self.plan;
                        let action = &plan.rules[waiting.rule].actions[waiting.action];
                        self.apply(action, edits, Idle::Refused, &mut waiting.firing);
                        let Waiting { rule, trial, action, firing, .. } = waiting;
                        self.act(rule, trial, action + 1, firing)
                    }
                    Err(reason) => self.failed(waiting, reason),
                }
            }
            Some(Answer::Failed(reason)) => self.failed(waiting, reason),
            Some(Answer::Again) => Some(self.ask(waiting)),
            Some(Answer::GoOn) | None => {
                self.give_up(waiting);
                None
            }
        }
    }

    fn failed(&mut self, mut waiting: Waiting, reason: String) -> Option<Pause> {
        if waiting.retries > 0 {
            waiting.retries -= 1;
            return Some(self.ask(waiting));
        }
        waiting.reason = reason;
        let plan = self.plan;
        let rule = &plan.rules[waiting.rule];
        match &rule.on_failure.then {
            Failing::Ask => {
                let question = waiting.reason.clone();
                self.waiting = Some(waiting);
                return Some(Pause::Person(question));
            }
            Failing::Stop => {
                let text = format!("a summary failed: {}", waiting.reason);
                self.outcome.stop = Some(Stop { rule: rule.name.clone(), text });
            }
            Failing::Then(action) => {
                // The checker lets no effect stand here that asks for a summary itself.
                let _ = self.carry_out(rule, action, &mut waiting.firing);
            }
            Failing::Keep => {}
        }
        self.give_up(waiting);
        None
    }

    /// Ends a rule whose summary failed; its later actions are not carried out.
    fn give_up(&mut self, waiting: Waiting) {
        let Waiting { rule, trial, firing, reason, .. } = waiting;
        self.end(rule, &trial, firing, Some(reason));
    }

    fn end(&mut self, at: usize, trial: &Trial, firing: Firing, failure: Option<String>) {
        let name = &self.plan.rules[at].name;
        let fired = firing.signals > 0 || !firing.receipts.is_empty();
        let iteration = self.state.run.iteration;
        if let Some(memory) = self.state.rules.get_mut(name) {
            match (fired, &failure) {
                (true, _) => memory.fire(iteration, trial),
                (false, Some(_)) => RuleState::attempt(memory, iteration),
                (false, None) => {}
            }
        }
        if let Some(explanation) = self.outcome.explanation.last_mut() {
            explanation.end(&firing, fired, failure.as_ref());
        }
        let (firing, idle) = if fired { (Some(firing), Vec::new()) } else { (None, firing.idle) };
        self.outcome.tried.push(Tried { rule: at, firing, idle, failure });
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            conversation: self.conversation,
            counter: self.setting.counter,
            tokens: self.tokens(),
            window: self.setting.window.filter(|&window| window > 0),
            searched: Searched::default(),
            explain: self.setting.explain,
        }
    }

    fn tokens(&self) -> u64 {
        self.state.meter.live(self.conversation.tokens()) + self.viewed
    }

    fn source(&self) -> FactSource<'_> {
        FactSource { overrides: self.setting.overrides, moment: self.moment() }
    }

    fn moment(&self) -> Moment<'_> {
        Moment {
            conversation: self.conversation,
            counter: self.setting.counter,
            tokens: self.tokens(),
            reported: self.state.meter.reported(),
            window: self.setting.window,
            reserve: self.setting.reserve,
            run: &self.state.run,
            session: &self.state.session,
            idle: self.state.idle,
            tools: self.setting.tools,
            rules: self.state,
            tail: &self.state.tail,
        }
    }
}

/// An effect with its arguments, and what it asks a summariser.
type Question = (&'static Effect, Arguments, Box<SummaryRequest>);
