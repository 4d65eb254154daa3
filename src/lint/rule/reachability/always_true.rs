//! `always-true`

use crate::check::{Condition, Rule};
use crate::condition::{Implication, Verdict, World, implies};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::source::Span;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "always-true",
        severity: Severity::Warning,
        title: "a condition that always holds",
        why: "The threshold decides nothing: the rule is due at every try, as if the condition were not there. It \
              is decided over all values of the facts.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 0% do notify \"x\" once }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" once }\n}\n",
    },
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Mixed,
    evidence: &["https://github.com/cedar-policy/cedar/issues/1263"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if !matches!(subject.verdict(rule), Some(Verdict::Always)) {
        return;
    }
    let clauses: Vec<Span> = ["when", "unless"].iter().filter_map(|word| rule.clause(word)).collect();
    let Some(&span) = clauses.first() else { return };
    let message = format!("the condition of rule `{}` always holds", rule.name);
    // Where the window is unknown a share of it is undecided, and the rule then not due.
    let holds =
        |host: &World| matches!(implies(&Condition::Constant(true), &rule.condition, host), Implication::Proved);
    let (here, assumed) = (holds(&subject.world(rule)), subject.assumed(rule, holds));
    let safe = here && assumed.is_none();
    let known = if here { "" } else { ", once the window is known" };
    let mut finding = LINT.finding(span, message, format!("every value of the facts makes this true{known}"));
    if clauses.len() == 1 && !subject.holds_comment(span) {
        finding.fixes.push(fix("take the condition out", safe, removal(subject, span)));
    }
    finding.notes.extend(assumed.filter(|_| here));
    found.push(finding.help("give it a bound that can fail, or take the condition out"));
}
