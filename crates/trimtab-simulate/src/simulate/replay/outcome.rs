//! What the rules of a phase did, and the facts when a call is sent, recorded in the trace.

use smol_str::SmolStr;
use trimtab_base::conversation::any_matches;
use trimtab_base::quantity::Value;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;
use trimtab_run::run::{Firing, Outcome, RuleSignal};

use super::Replay;
use crate::simulate::trace::MissingTool;

impl Replay<'_> {
    /// The tools that the plan names and a recording with tools lacks.
    pub(super) fn missing_tools(&self, plan: &Plan) -> Option<Vec<MissingTool>> {
        let (tools, named) = (&self.trace.observed.tools, plan.named_tools());
        let is_there = |name: &SmolStr| tools.iter().any(|tool| any_matches([name.as_str()], tool));
        let is_named = |tool: &SmolStr| any_matches(named.iter().map(SmolStr::as_str), tool);
        let case_variant = |name: &SmolStr| {
            let name = name.to_lowercase();
            let mut others = tools.iter().filter(|tool| any_matches([name.as_str()], &tool.to_lowercase()));
            others.find(|tool| !is_named(tool)).cloned()
        };
        let missing = named.iter().filter(|name| !is_there(name));
        let missing =
            || missing.map(|name| MissingTool { name: name.clone(), case_variant: case_variant(name) }).collect();
        (!tools.is_empty()).then(missing)
    }

    /// Records what the rules of a phase did.
    pub(super) fn record(&mut self, phase: Phase, outcome: Outcome) {
        let call = self.call();
        let edits = self.driver.take_edits();
        if let Some(timeline) = &mut self.timeline {
            timeline.edited(&outcome.due, &edits);
        }
        self.regret.edited(&outcome.due, edits, call, self.driver.conversation());
        self.trace.explain(call, phase, outcome.explanations);
        for due in outcome.due {
            self.trace.rules[due.rule].due += 1;
            self.trace.rules[due.rule].declined += usize::from(due.is_declined);
            self.trace.rules[due.rule].record_idle(due.idle);
            if let Some(firing) = due.firing {
                self.record_firing(due.rule, call, &firing);
            }
            if let Some(reason) = due.failure {
                self.trace.failures.push((call, self.trace.rules[due.rule].name.clone(), reason));
            }
        }
        if self.options.events {
            outcome.signals.iter().filter_map(RuleSignal::event).for_each(|event| self.record_event(event));
        }
        self.trace.signals.extend(outcome.signals.into_iter().map(|signal| (call, signal)));
        if let Some(rule) = self.driver.stopped_by() {
            self.ledger.record_stop(rule);
        }
    }

    /// The observed facts at the moment when a call is sent.
    pub(super) fn observed(&self) -> Vec<Option<Value>> {
        if self.options.observed.is_empty() {
            return Vec::new();
        }
        let overrides = self.overrides();
        let facts = self.driver.facts(self.phase_options(&overrides));
        self.options.observed.iter().map(|reading| trimtab_language::condition::read(reading, &facts)).collect()
    }

    fn record_firing(&mut self, rule: usize, call: usize, firing: &Firing) {
        self.view_savings.record(rule, &firing.view_savings);
        let sent = self.driver.requests().messages();
        self.ledger.record_firing(rule, call, &firing.receipts, sent);
        if firing.summaries > 0 {
            let cost = self.driver.take_summary_cost();
            self.ledger.record_summary(rule, call, cost);
        }
        self.last_edits.record(&firing.receipts, rule);
        let trace = &mut self.trace.rules[rule];
        trace.fired += 1;
        trace.edits += firing.receipts.len();
        trace.calls.push(call);
        if firing.shortfall > 0 {
            trace.short = (trace.short.0 + 1, trace.short.1.max(firing.shortfall));
        }
        let change = firing.receipts.iter().map(|receipt| i128::from(receipt.before) - i128::from(receipt.after));
        self.saved_per_call[rule] += change.sum::<i128>();
        // A rule on an event of the host can fire before the first call.
        if let Some(call) = self.trace.calls.get_mut(call) {
            call.fired.push(rule);
        }
        self.trace.summaries += firing.summaries;
        self.trace.injections += firing.injections;
        self.diverged |= !firing.receipts.is_empty();
        self.trace.invariants.checked += firing.receipts.len();
        let broken = self.driver.take_violations().into_iter();
        self.trace.invariants.broken.extend(broken.map(|violation| (call, violation)));
    }
}
