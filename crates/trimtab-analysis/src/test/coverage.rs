//! Test coverage of a policy: rules that fired, and comparisons that were true and false.

use std::collections::HashMap;
use std::ops::Range;

use smol_str::SmolStr;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::Span;
use trimtab_language::check::{Condition, Rule, Test};
use trimtab_language::plan::Plan;
use trimtab_run::run::{ConditionTrace, Explanation};
use trimtab_simulate::simulate::Trace;

/// The coverage of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// The policy.
    pub policy: SmolStr,
    /// Its rules, in order.
    pub rules: Vec<RuleCoverage>,
    /// The comparisons of its conditions and of its `until` clauses, in order.
    pub comparisons: Vec<ComparisonCoverage>,
}

/// The coverage of one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleCoverage {
    /// The rule.
    pub rule: SmolStr,
    /// The place of its name.
    pub span: Span,
    /// Whether it fired.
    pub fired: bool,
}

/// The coverage of one comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonCoverage {
    /// The rule.
    pub rule: SmolStr,
    /// Its place.
    pub span: Span,
    /// Whether it was true at some call.
    pub was_true: bool,
    /// Whether it was false at some call.
    pub was_false: bool,
}

impl Coverage {
    /// The empty coverage of a policy.
    pub fn of(plan: &Plan) -> Self {
        let mut comparisons = Vec::new();
        for rule in &plan.rules {
            let comparing = |test: &Test| ComparisonCoverage {
                rule: rule.name.clone(),
                span: test.span,
                was_true: false,
                was_false: false,
            };
            comparisons.extend(rule.tests().map(comparing));
        }
        let rule = |rule: &Rule| RuleCoverage { rule: rule.name.clone(), span: rule.head, fired: false };
        Self { policy: plan.policy.clone(), rules: plan.rules.iter().map(rule).collect(), comparisons }
    }

    /// Records a trace in which all calls were explained.
    pub fn record(&mut self, plan: &Plan, trace: &Trace) {
        for (mine, rule) in self.rules.iter_mut().zip(&trace.rules) {
            mine.fired |= rule.fired > 0;
        }
        let mut next = 0;
        let rules = plan.rules.iter().map(|rule| {
            let first = next;
            next += rule.tests().count();
            (rule.name.as_str(), (rule, first..next))
        });
        let rules: HashMap<&str, (&Rule, Range<usize>)> = rules.collect();
        let phases = trace.all_explained.iter().flat_map(|call| &call.phases);
        for explanation in phases.flat_map(|(_, rules)| rules) {
            if let Some((rule, comparisons)) = rules.get(explanation.rule.as_str()) {
                self.record_explanation(rule, comparisons.clone(), explanation);
            }
        }
    }

    /// Records an explanation of a rule, which has the comparisons with these indices.
    fn record_explanation(&mut self, rule: &Rule, comparisons: Range<usize>, explanation: &Explanation) {
        let mut truths = Vec::new();
        leaves(&rule.when, &explanation.when, &mut truths);
        for (unless, finding) in rule.unless.iter().zip(&explanation.unless) {
            leaves(unless, finding, &mut truths);
        }
        for (end, finding) in rule.end_conditions().zip(&explanation.ends) {
            leaves(end, finding, &mut truths);
        }
        for (comparison, truth) in self.comparisons[comparisons].iter_mut().zip(truths) {
            comparison.was_true |= truth == Some(true);
            comparison.was_false |= truth == Some(false);
        }
    }

    /// Adds the coverage of another run of the same policy.
    pub fn merge(&mut self, other: &Self) {
        for (mine, other) in self.rules.iter_mut().zip(&other.rules) {
            mine.fired |= other.fired;
        }
        for (mine, other) in self.comparisons.iter_mut().zip(&other.comparisons) {
            mine.was_true |= other.was_true;
            mine.was_false |= other.was_false;
        }
    }

    /// The covered and the total number of items: one for each rule, two for each comparison.
    pub fn counts(&self) -> (usize, usize) {
        let rules = self.rules.iter().filter(|rule| rule.fired).count();
        let sides = self
            .comparisons
            .iter()
            .map(|comparison| usize::from(comparison.was_true) + usize::from(comparison.was_false));
        (rules + sides.sum::<usize>(), self.rules.len() + 2 * self.comparisons.len())
    }

    /// The covered share; 1 if there is nothing to cover.
    pub fn share(&self) -> Decimal {
        match self.counts() {
            (_, 0) => Decimal::ONE,
            (covered, all) => Decimal::from(covered) / Decimal::from(all),
        }
    }
}

/// The outcomes of the tests of a condition, in order.
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
