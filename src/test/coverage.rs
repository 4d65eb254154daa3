//! What tests have covered of a policy: rules that fired, comparisons seen true and seen false.

use smol_str::SmolStr;

use crate::check::{Condition, Test};
use crate::plan::Plan;
use crate::quantity::Decimal;
use crate::run::{ConditionTrace, Explanation};
use crate::simulate::Trace;
use crate::source::Span;

/// What was covered of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// The policy.
    pub policy: SmolStr,
    /// Its rules, in order.
    pub rules: Vec<Firing>,
    /// The comparisons of its conditions, those behind `until` too, in order.
    pub comparisons: Vec<Comparing>,
}

/// Whether a rule fired.
#[derive(Clone, Debug, PartialEq)]
pub struct Firing {
    /// The rule.
    pub rule: SmolStr,
    /// Where its name stands.
    pub span: Span,
    /// Whether it did.
    pub fired: bool,
}

/// Whether a comparison was seen both ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparing {
    /// The rule.
    pub rule: SmolStr,
    /// Where it stands.
    pub span: Span,
    /// Whether it was seen true.
    pub held: bool,
    /// Whether it was seen false.
    pub failed: bool,
}

impl Coverage {
    /// A policy of which nothing is covered yet.
    pub fn of(plan: &Plan) -> Self {
        let mut comparisons = Vec::new();
        for rule in &plan.rules {
            let comparing =
                |test: &Test| Comparing { rule: rule.name.clone(), span: test.span, held: false, failed: false };
            comparisons.extend(rule.tests().map(comparing));
        }
        let rule = |rule: &crate::check::Rule| Firing { rule: rule.name.clone(), span: rule.head, fired: false };
        Self { policy: plan.policy.clone(), rules: plan.rules.iter().map(rule).collect(), comparisons }
    }

    /// Notes what a trace that followed all calls has seen.
    pub fn note(&mut self, plan: &Plan, trace: &Trace) {
        for (mine, rule) in self.rules.iter_mut().zip(&trace.rules) {
            mine.fired |= rule.fired > 0;
        }
        let phases = trace.followed.iter().flat_map(|call| &call.phases);
        for explanation in phases.flat_map(|(_, rules)| rules) {
            self.explained(plan, explanation);
        }
    }

    fn explained(&mut self, plan: &Plan, explanation: &Explanation) {
        let Some(rule) = plan.rules.iter().find(|rule| rule.name == explanation.rule) else { return };
        let mut truths = Vec::new();
        leaves(&rule.condition, &explanation.condition, &mut truths);
        for (end, finding) in rule.end_conditions().zip(&explanation.ends) {
            leaves(end, finding, &mut truths);
        }
        let mine = self.comparisons.iter_mut().filter(|one| one.rule == rule.name);
        for (comparison, truth) in mine.zip(truths) {
            comparison.held |= truth == Some(true);
            comparison.failed |= truth == Some(false);
        }
    }

    /// Adds what another run of the same policy has covered.
    pub fn join(&mut self, other: &Self) {
        for (mine, other) in self.rules.iter_mut().zip(&other.rules) {
            mine.fired |= other.fired;
        }
        for (mine, other) in self.comparisons.iter_mut().zip(&other.comparisons) {
            mine.held |= other.held;
            mine.failed |= other.failed;
        }
    }

    /// How much was covered and of how much: a rule is one, a comparison two.
    pub fn counts(&self) -> (usize, usize) {
        let rules = self.rules.iter().filter(|rule| rule.fired).count();
        let sides = self.comparisons.iter().map(|one| usize::from(one.held) + usize::from(one.failed));
        (rules + sides.sum::<usize>(), self.rules.len() + 2 * self.comparisons.len())
    }

    /// The share that was covered; all of it when there is nothing to cover.
    pub fn share(&self) -> Decimal {
        match self.counts() {
            (_, 0) => Decimal::ONE,
            (covered, all) => Decimal::from(covered) / Decimal::from(all),
        }
    }
}

/// How the tests of a condition came out, in the same order.
fn leaves(condition: &Condition, finding: &ConditionTrace, out: &mut Vec<Option<bool>>) {
    match condition {
        Condition::Constant(_) => {}
        Condition::Test(_) => out.push(finding.truth),
        Condition::Not(inner) => {
            finding.parts.iter().for_each(|part| leaves(inner, part, out));
        }
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().zip(&finding.parts).for_each(|(part, finding)| leaves(part, finding, out));
        }
    }
}
