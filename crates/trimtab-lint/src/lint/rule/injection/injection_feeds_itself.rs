//! `injection-feeds-itself`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::source::Span;
use trimtab_language::check::{Guard, Rule, RuleGuard, Test};
use trimtab_language::fact::{Falls, Rises, Topic};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::guard_scope::scope_text;
use crate::lint::analysis::placement::new_clause;
use crate::lint::analysis::{effect_scope, requirement};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("injection-feeds-itself", Severity::Error, include_str!("injection_feeds_itself.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    supersedes: &["unguarded-injection"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(action) = rule.actions.iter().find(|action| effect_scope::injects(action)) else { return };
    let Some((test, _)) = rule.condition.required_tests().find(|(test, truth)| is_advanced_by_injection(test, *truth))
    else {
        return;
    };
    let idle = rule.guards.iter().all(does_not_limit);
    if idle && rule.condition.required_tests().all(|(test, _)| stays_true_until_reduced(test)) {
        findings.push(finding(subject, rule, action.span, test.span));
    }
}

/// Whether an injected message brings a test closer to holding.
fn is_advanced_by_injection(test: &Test, truth: bool) -> bool {
    let fact = test.reading.fact;
    fact.rises == Rises::EveryMessage && requirement::is_lower_bound(test, truth) == Some(!fact.is_inverse())
}

/// Whether a test that holds keeps holding until something reduces the context.
fn stays_true_until_reduced(test: &Test) -> bool {
    let fact = test.reading.fact;
    fact.topic != Topic::Firings && !matches!(fact.falls, Falls::AnyTime | Falls::Messages)
}

fn does_not_limit(guard: &RuleGuard) -> bool {
    match &guard.node {
        Guard::Until(_) => true,
        Guard::OncePer(reading) => reading.fact.rises == Rises::EveryMessage,
        _ => false,
    }
}

fn finding(subject: &Subject<'_>, rule: &Rule, message: Span, test: Span) -> Diagnostic {
    let text = format!("this message increases the value that `{}` tests", subject.quote(test));
    let mut finding = LINT
        .finding(message, text, "makes the conversation larger at each call")
        .label(test, "due when the conversation is large")
        .help("inject it `once`, or `once until` there is room again");
    let guard = rule.guards.iter().find(|guard| matches!(guard.node, Guard::OncePer(_)));
    let edit = match guard {
        Some(guard) => Some(TextEdit { span: guard.span, text: format!("once{}", scope_text(guard)) }),
        None => new_clause(subject, rule, "once"),
    };
    finding.fixes.extend(edit.map(|edit| fix("inject it once per run", false, edit)));
    finding
}
