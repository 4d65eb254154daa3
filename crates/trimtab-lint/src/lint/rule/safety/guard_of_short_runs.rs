//! `guard-of-short-runs`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{Guard, Policy, Rule, RuleGuard, ScriptLineKind, TestCase};
use trimtab_language::fact::Scope;
use trimtab_simulate::simulate::Trace;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::guard_scope::remembers_run;
use crate::lint::analysis::placement::after;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("guard-of-short-runs", Severity::Warning, include_str!("guard_of_short_runs.md")),
    category: Category::Safety,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    check: Check::Sessions(check),
    ..Lint::DEFAULT
};

/// The fewest runs of recordings in which the lint sees a habit.
const MIN_RUNS: usize = 3;

fn check(subject: &Subject<'_>, traces: &[Trace], findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let Some(chat) = chat(subject, policy, traces) else { continue };
        for rule in subject.rules_of(policy) {
            let guards = rule.guards.iter().filter(|guard| remembers_run(guard));
            findings.extend(guards.map(|guard| finding(subject, rule, guard, &chat)));
        }
    }
}

/// What shows that a policy is for chats with one call for each message: a test of it, or the recordings.
fn chat(subject: &Subject<'_>, policy: &Policy, traces: &[Trace]) -> Option<String> {
    let own = subject.checked.tests.iter().filter(|test| test.policy == policy.name);
    let test = own.into_iter().find(|test| is_chat(test)).map(|test| format!("the test {:?}", test.name));
    test.or_else(|| {
        let of_policy = || traces.iter().filter(|trace| trace.policy == policy.name);
        let calls: usize = of_policy().map(|trace| trace.calls.iter().filter(|call| call.made).count()).sum();
        let runs: usize = of_policy().map(|trace| trace.runs).sum();
        (runs >= MIN_RUNS && calls == runs).then(|| format!("all {runs} runs of the recordings"))
    })
}

/// Whether a test has several runs, each with one call.
fn is_chat(test: &TestCase) -> bool {
    let lines = test
        .given
        .lines
        .iter()
        .filter(|line| !matches!(line.kind, ScriptLineKind::System(_) | ScriptLineKind::Thinking(_)));
    let turns: Vec<&ScriptLineKind> = lines.map(|line| &line.kind).collect();
    let is_exchange = |pair: &[&ScriptLineKind]| {
        matches!(pair, [ScriptLineKind::User(_), ScriptLineKind::Assistant(_)] | [ScriptLineKind::User(_)])
    };
    turns.len() > 2 && turns.chunks(2).all(is_exchange)
}

fn finding(subject: &Subject<'_>, rule: &Rule, guard: &RuleGuard, chat: &str) -> Diagnostic {
    let every = matches!(guard.node, Guard::Every(_));
    let written = subject.quote(guard.span);
    let message = if every {
        format!("with `{written}` rule `{}` never fires in a run of one call", rule.name)
    } else {
        format!("`{written}` is forgotten with every message of a person")
    };
    let here = match guard.node {
        Guard::Until(_) => "keeps the rule triggered within one run",
        _ => "limits the rule within one run",
    };
    let finding = LINT.finding(guard.span, message, here).note(format!("{chat} has one call in each run"));
    if !subject.is_policy_source() {
        return finding.help("bound the rule by its condition instead");
    }
    let scope = format!("in {}", Scope::Session.word());
    let edit = TextEdit { span: after(guard.span), text: format!(" {scope}") };
    let help = format!("write `{written} {scope}`, or bound the rule by its condition instead");
    Diagnostic { fixes: vec![fix(format!("add `{scope}`"), false, edit)], ..finding.help(help) }
}
