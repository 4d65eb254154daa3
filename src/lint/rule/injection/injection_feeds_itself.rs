//! `injection-feeds-itself`

use crate::check::{Guard, Rule, Test};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::fact::{Falls, Rises, Topic};
use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::new_clause;
use crate::lint::analysis::{effect_scope, requirement};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::source::{Span, Spanned};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "injection-feeds-itself",
        severity: Severity::Error,
        title: "a message that makes its own condition truer",
        why: "The rule speaks when the conversation is large, and each message that it adds makes it larger: once \
              it has begun it adds a message at every call until something else makes room. `once per` on the size \
              holds nothing back, since the size grows with every call.",
        wrong: "edition 2026\npolicy p {\n  rule warn { when context.ratio >= 80% do inject \"Be brief, the window is nearly full.\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule warn { when context.ratio >= 80% do inject \"Be brief, the window is nearly full.\" once until context.ratio < 60% }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    supersedes: &["unguarded-injection"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let Some(action) = rule.actions.iter().find(|action| effect_scope::injects(action)) else { return };
    let Some((test, _)) = rule.condition.required_tests().find(|(test, truth)| is_fed(test, *truth)) else { return };
    let idle = rule.guards.iter().all(holds_nothing_back);
    if idle && rule.condition.required_tests().all(|(test, _)| is_steady(test)) {
        found.push(feeding(subject, rule, action.span, test.span));
    }
}

/// Whether a message makes a test truer.
fn is_fed(test: &Test, truth: bool) -> bool {
    let fact = test.reading.fact;
    fact.rises == Rises::EveryMessage && requirement::is_lower_bound(test, truth) == Some(!fact.is_inverse())
}

/// Whether a test that holds goes on holding while nothing makes room.
fn is_steady(test: &Test) -> bool {
    let fact = test.reading.fact;
    fact.topic != Topic::Firings && !matches!(fact.falls, Falls::AnyTime | Falls::Messages)
}

fn holds_nothing_back(guard: &Spanned<Guard>) -> bool {
    match &guard.node {
        Guard::Until(_) => true,
        Guard::OncePer(reading) => reading.fact.rises == Rises::EveryMessage,
        _ => false,
    }
}

fn feeding(subject: &Subject<'_>, rule: &Rule, message: Span, test: Span) -> Diagnostic {
    let text = format!("this message makes `{}` truer", subject.text(test));
    let mut finding = LINT
        .finding(message, text, "makes the conversation larger at each call")
        .label(test, "begins when the conversation is large")
        .help("say it `once`, or `once until` there is room again");
    let guard = rule.guards.iter().find(|guard| matches!(guard.node, Guard::OncePer(_)));
    let edit = match guard {
        Some(guard) => Some(TextEdit { span: guard.span, text: "once".to_owned() }),
        None => new_clause(subject, rule, "once"),
    };
    finding.fixes.extend(edit.map(|edit| fix("say it once a run", false, edit)));
    finding
}
