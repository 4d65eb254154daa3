//! Facts that a rule reads and that were unknown at every call.

use smol_str::SmolStr;
use trimtab_language::check::format_reading;
use trimtab_language::check::{Guard, Operand, Reading, Relation, Rule};
use trimtab_language::fact::{Facts, Unknown};
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;

/// A fact that was unknown every time a rule was tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnknownFact {
    /// The index of the rule.
    pub rule: usize,
    /// The fact with its arguments, as an author writes it.
    pub fact: String,
    /// What was missing.
    pub why: Unknown,
    /// The rule that did not fire, if its firing was missing.
    pub about: Option<SmolStr>,
}

/// The readings that have not been known yet.
#[derive(Debug, Default)]
pub(super) struct UnknownReadings(Vec<UnknownReading>);

#[derive(Debug)]
struct UnknownReading {
    rule: usize,
    phase: Phase,
    reading: Reading,
    needs_window: bool,
    was_tried: bool,
}

impl UnknownReadings {
    /// All readings of the rules of a plan that may be unknown.
    pub(super) fn of(plan: &Plan) -> Self {
        let mut all: Vec<UnknownReading> = Vec::new();
        for (at, rule) in plan.rules.iter().enumerate() {
            for (reading, needs_window) in readings(rule) {
                let reading = Reading { fallback: None, ..reading.clone() };
                if !all.iter().rev().take_while(|open| open.rule == at).any(|open| open.reading == reading) {
                    all.push(UnknownReading { rule: at, phase: rule.phase, reading, needs_window, was_tried: false });
                }
            }
        }
        Self(all)
    }

    /// Whether a reading of a phase has not been known yet.
    pub(super) fn has_any(&self, phase: Phase) -> bool {
        self.0.iter().any(|open| open.phase == phase)
    }

    /// Removes the readings of a phase that are known at this moment.
    pub(super) fn update(&mut self, phase: Phase, facts: &dyn Facts) {
        let has_window = facts.window().is_some();
        self.0.retain_mut(|open| {
            if open.phase != phase {
                return true;
            }
            open.was_tried = true;
            let is_known = facts.value(open.reading.fact, &open.reading.arguments).is_some();
            !is_known || (open.needs_window && !has_window)
        });
    }

    /// The facts that were never known, rule by rule.
    pub(super) fn into_facts(self, window: Option<u64>) -> Vec<UnknownFact> {
        let has_window = window.is_some_and(|window| window > 0);
        let to_fact = |open: UnknownReading| {
            let why = if open.needs_window && !has_window { Some(Unknown::Window) } else { open.reading.fact.unknown }?;
            let about =
                open.reading.arguments.first().filter(|_| matches!(why, Unknown::Firing | Unknown::Variable)).and_then(
                    |value| match value {
                        trimtab_base::quantity::Value::Text(rule) => Some(rule.clone()),
                        _ => None,
                    },
                );
            Some(UnknownFact { rule: open.rule, fact: format_reading(&open.reading), why, about })
        };
        self.0.into_iter().filter(|open| open.was_tried).filter_map(to_fact).collect()
    }
}

/// The readings of the condition and the guards of a rule that may be unknown, each with whether it needs the window.
fn readings(rule: &Rule) -> impl Iterator<Item = (&Reading, bool)> {
    let tests = rule.tests().map(|test| {
        let shares = matches!(test.relation, Relation::Compare(_, Operand::ShareOfWindow(_)));
        (&test.reading, shares || test.reading.fact.share_of().is_some())
    });
    let guards = rule.guards.iter().filter_map(|guard| match &guard.node {
        Guard::OncePer(reading) => Some((reading, reading.fact.share_of().is_some())),
        _ => None,
    });
    tests.chain(guards).filter(|(reading, needs_window)| *needs_window || reading.fact.unknown.is_some())
}
