//! `injection-ends-streak`

use trimtab_base::conversation::Role;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Decimal, Value};
use trimtab_language::check::{Action, Comparison, Guard, Operand, Rule, Test};
use trimtab_language::effect::LabelRole;
use trimtab_language::fact::Falls;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::requirement::required_comparisons;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("injection-ends-streak", Severity::Warning, include_str!("injection_ends_streak.md")),
    category: Category::Injection,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let nudges = lowest(policy.rules.iter().filter(|rule| resets_failures(rule)));
        for rule in subject.rules_of(policy) {
            let Some(awaited) = streak(rule) else { continue };
            let earlier = nudges.iter().filter(|nudge| nudge.streak.comes_before(&awaited));
            if let Some(nudge) = earlier.min_by_key(|nudge| (nudge.streak.least, nudge.place)) {
                findings.push(finding(&awaited, nudge.rule));
            }
        }
    }
}

/// Whether a rule injects a message that resets `failures`, each time its condition holds.
fn resets_failures(rule: &Rule) -> bool {
    let limits_repetition = |guard: &Guard| !matches!(guard, Guard::OncePer(_) | Guard::Until(_));
    let resets = |action: &Action| {
        effect_scope::injects(action) && action.word(LabelRole::MessageRole) != Some(Role::Assistant.word())
    };
    rule.actions.iter().any(resets)
        && !rule.guards.iter().any(|guard| limits_repetition(&guard.node))
        && rule.condition.tests().nth(1).is_none()
}

/// A rule that injects a message when a streak has been reached.
struct Nudge<'a> {
    streak: Streak<'a>,
    place: usize,
    rule: &'a Rule,
}

/// Of the rules that wait for one count, the first of those that wait for the least.
fn lowest<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<Nudge<'a>> {
    let mut lowest: Vec<Nudge<'_>> = Vec::new();
    for (place, rule) in rules.enumerate() {
        let Some(streak) = streak(rule) else { continue };
        let nudge = Nudge { streak, place, rule };
        match lowest.iter_mut().find(|known| known.streak.counts_as(&nudge.streak)) {
            Some(known) if nudge.streak.least < known.streak.least => *known = nudge,
            Some(_) => {}
            None => lowest.push(nudge),
        }
    }
    lowest
}

/// A count of consecutive errors that a rule waits for.
struct Streak<'a> {
    test: &'a Test,
    least: Decimal,
}

impl Streak<'_> {
    /// Whether it is the same count as another one.
    fn counts_as(&self, other: &Self) -> bool {
        let (reading, other) = (&self.test.reading, &other.test.reading);
        std::ptr::eq(reading.fact, other.fact) && reading.arguments == other.arguments
    }

    /// Whether it is reached before another one. With equal arguments every fact counts at most as many errors as the one
    /// that counts single results.
    fn comes_before(&self, other: &Self) -> bool {
        let (reading, awaited) = (&self.test.reading, &other.test.reading);
        let counts_results = reading.fact.total().is_some() && !reading.has_arguments() && !awaited.has_arguments();
        self.least < other.least && (self.counts_as(other) || counts_results)
    }
}

/// The count of consecutive errors that a rule waits for, if a message resets it.
fn streak(rule: &Rule) -> Option<Streak<'_>> {
    required_comparisons(&rule.condition).find_map(|(test, operator, operand)| {
        let Operand::Value(Value::Number(limit)) = operand else { return None };
        let least = match operator {
            Comparison::More => limit.checked_add(Decimal::ONE)?,
            Comparison::AtLeast => *limit,
            _ => return None,
        };
        (test.reading.fact.falls == Falls::Messages).then_some(Streak { test, least })
    })
}

fn finding(awaited: &Streak<'_>, nudge: &Rule) -> Diagnostic {
    let Streak { test, least } = awaited;
    let message =
        format!("{least} consecutive errors are rarely reached, because `{}` injects a message earlier", nudge.name);
    let finding = LINT
        .finding(test.span, message, "each injected message resets this count")
        .label(nudge.condition_span().unwrap_or(nudge.head), "injects a message at a lower count");
    // A fact with arguments or in another unit has no count of the whole run to take its place.
    let Some(total) = test.reading.fact.total().filter(|_| !test.reading.has_arguments()) else {
        return finding.help("inject the message `for step`");
    };
    let edit = TextEdit { span: test.reading.span, text: total.name.to_owned() };
    let finding = finding.help(format!("count all errors of the run with `{}`, or inject `for step`", total.name));
    Diagnostic { fixes: vec![fix("count all errors of the run", false, edit)], ..finding }
}
