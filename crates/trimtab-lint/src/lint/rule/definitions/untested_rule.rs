//! `untested-rule`

use std::collections::HashSet;

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use trimtab_base::quantity::{Quantity, Type, Value, whole};
use trimtab_language::check::{ExpectationKind, Guard, Policy, Reading, Rule, RuleGuard, format_reading};
use trimtab_language::condition::{SearchResult, Witness, due, find};
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::{Fact, Scope, Topic};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::appended;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("untested-rule", Severity::Info, include_str!("untested_rule.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// The largest number of iterations of a suggested test.
const LONGEST: u64 = 200;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // The YAML form has no tests.
    if !subject.is_policy_source() {
        return;
    }
    let stops = subject.checked.tests.iter().flat_map(|test| &test.expected);
    let stops = stops.filter(|expectation| matches!(expectation.claim, ExpectationKind::Stops(_))).count() > 0;
    let claims = subject.checked.tests.iter().flat_map(|test| &test.expected);
    let tested: HashSet<&str> = claims
        .filter_map(|expectation| match &expectation.claim {
            ExpectationKind::Rule(rule, ..) => Some(rule.as_str()),
            _ => None,
        })
        .collect();
    let names: HashSet<&str> = subject.checked.tests.iter().map(|test| test.name.as_str()).collect();
    for (policy, rule) in subject.rules().filter(|(_, rule)| !tested.contains(rule.name.as_str())) {
        let is_stop = rule.does(EffectKind::Stop);
        if rule.origin.policy != policy.name || is_stop && stops {
            continue;
        }
        let message = format!("no test covers rule `{}`", rule.name);
        let help = format!("add a test that expects it to fire: `expect {} fires`", rule.name);
        let mut finding = LINT.finding(rule.head, message, "no test fails if this rule stops firing").help(help);
        let name = format!("{} fires", rule.name);
        let test = (!names.contains(name.as_str())).then(|| scaffold(subject, policy, rule, &name));
        finding.fixes.extend(test.flatten());
        findings.push(finding);
    }
}

/// Returns the fix that adds a test of this name with values of the facts for which the rule is due, or `None` if facts
/// alone cannot make it due.
fn scaffold(subject: &Subject<'_>, policy: &Policy, rule: &Rule, test: &str) -> Option<Fix> {
    let plain = |guard: &RuleGuard| match guard.node {
        Guard::OncePer(_) | Guard::Until(_) | Guard::OnceUntil(_) => false,
        Guard::Every(_) => guard.scope == Scope::Run,
        Guard::Once | Guard::Cooldown(_) | Guard::Limit(_) => true,
    };
    if !rule.guards.iter().all(plain) {
        return None;
    }
    let SearchResult::Witness(witness) = find(&due(rule), &subject.assumptions(rule)) else { return None };
    let given = given(subject, &witness)?;
    let choose = names_its_policy(subject).then(|| format!("  given policy {}\n", policy.name));
    let choose = choose.unwrap_or_default();
    let test = format!("\ntest \"{test}\" {{\n{choose}{given}  expect {} fires\n}}\n", rule.name);
    Some(fix("add a test", false, appended(subject, &test)))
}

/// Whether a test of this file must name its policy.
fn names_its_policy(subject: &Subject<'_>) -> bool {
    subject.policies() > 1
}

/// Returns the `given` lines for the values of a witness, or `None` if one of them cannot be given.
fn given(subject: &Subject<'_>, witness: &Witness) -> Option<String> {
    let mut out = String::new();
    let mut iterations = 1;
    let mut done: Vec<&'static Fact> = Vec::new();
    for (reading, value) in witness.values() {
        // A test sets one of the facts with the same source; the others follow from it.
        if done.iter().any(|other| reading.fact.follows_from(other)) {
            continue;
        }
        done.push(reading.fact);
        let Some(value) = value else {
            out += &format!("  given {} unknown\n", plain(reading)?);
            continue;
        };
        match (reading.fact.topic, value) {
            (Topic::Iteration, Value::Number(number)) => iterations = whole(*number) + 1,
            _ => out += &format!("  given {} {}\n", plain(reading)?, given_value(reading, value)?),
        }
    }
    if let (Some(window), None) = (witness.window, subject.window()) {
        let window = Quantity::whole(window, trimtab_base::quantity::Unit::Tokens);
        out = format!("  given window {window}\n{out}");
    }
    (iterations <= LONGEST).then(|| format!("  given iterations {iterations}\n{out}"))
}

/// A fact that a test can set directly: one without arguments that does not depend on rules.
fn plain(reading: &Reading) -> Option<String> {
    (!reading.has_arguments() && !reading.fact.is_counted_by_tests()).then(|| format_reading(reading))
}

fn given_value(reading: &Reading, value: &Value) -> Option<String> {
    match (value, reading.fact.ty) {
        (Value::Number(number), Type::Number(unit)) => Some(Quantity::new(number.normalize(), unit).to_string()),
        (Value::Bool(truth), _) => Some(truth.to_string()),
        (Value::Text(text), _) if !text.contains(['"', '\\', '\n', '{', '}']) => Some(format!("\"{text}\"")),
        _ => None,
    }
}
