//! `suspicious-magnitude`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Counted, Decimal, Quantity, Type, Unit, Value, grouped};
use trimtab_base::source::Spanned;
use trimtab_language::check::{Guard, Label, Operand, Relation, Rule, Test};
use trimtab_language::effect::LabelRole;
use trimtab_language::fact::{Scope, Source, Topic};

use crate::lint::analysis::edit::{fix, quote_constant, replace_constant, set_label};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("suspicious-magnitude", Severity::Warning, include_str!("suspicious_magnitude.md")),
    category: Category::Units,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    options: &[&WINDOW, &ITERATIONS, &KEEP, &SUMMARY],
    check: Check::File(check),
    ..Lint::DEFAULT
};

static WINDOW: LintOption = LintOption {
    name: "window",
    unit: Unit::Tokens,
    default: Decimal::from_parts(4_000, 0, 0, false, 0),
    summary: "The smallest accepted window; a tenth of it is the smallest accepted threshold.",
};

static ITERATIONS: LintOption = LintOption {
    name: "iterations",
    unit: Unit::Counted(Counted::Iterations),
    default: Decimal::from_parts(10_000, 0, 0, false, 0),
    summary: "The smallest number of iterations, calls or firings that is reported.",
};

static KEEP: LintOption = LintOption {
    name: "keep",
    unit: Unit::Counted(Counted::Messages),
    default: Decimal::from_parts(1_000, 0, 0, false, 0),
    summary: "The smallest kept tail that is reported.",
};

static SUMMARY: LintOption = LintOption {
    name: "summary",
    unit: Unit::Tokens,
    default: Decimal::from_parts(50, 0, 0, false, 0),
    summary: "The shortest accepted summary.",
};

/// The largest window that the fix for a missing `k` suggests.
const MAX_WINDOW: u64 = 10_000_000;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    window(subject, findings);
    for (_, rule) in subject.rules() {
        guards(subject, rule, findings);
        for test in rule.tests() {
            large_counts(subject, test, findings);
            above_window(subject, rule, test, findings);
            below_any_prompt(subject, rule, test, findings);
        }
        kept_amounts(subject, rule, findings);
        summaries(subject, rule, findings);
    }
}

fn window(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    nothing_left(subject, findings);
    // A window from a profile of the project is not part of this file.
    let own = |window: &Spanned<u64>| window.span.source == subject.source.id();
    let Some(window) = subject.checked.agent.window.filter(own) else { return };
    let minimum = subject.option(&WINDOW);
    if window.node == 0 || Decimal::from(window.node) >= minimum {
        return;
    }
    let message = format!("a window of `{}` is too small for any prompt", subject.quote(window.span));
    let mut finding = LINT.finding(window.span, message, format!("fewer than {} tokens", grouped(minimum)));
    if let Some(suggestion) = window.node.checked_mul(1_000).filter(|&suggestion| suggestion <= MAX_WINDOW) {
        let text = Quantity::whole(suggestion, Unit::Tokens).to_string();
        finding.fixes.push(fix(format!("write `{text}`"), false, TextEdit { span: window.span, text }));
    }
    findings.push(finding);
}

/// The label of a number that reaches an option of this lint.
fn limit_label(limit: Decimal) -> String {
    format!("the limit of this lint is {}", grouped(limit))
}

/// Reports a reserve that leaves nothing of the window.
fn nothing_left(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let agent = &subject.checked.agent;
    let (Some(window), Some(reserve)) = (subject.window(), agent.reserve) else { return };
    let Some(span) = agent.window.map(|window| window.span).or(agent.model.as_ref().map(|model| model.span)) else {
        return;
    };
    if reserve >= window && span.source == subject.source.id() {
        let message = format!("a reserve of {} tokens leaves no room in the window", grouped(reserve.into()));
        let here = format!("{} tokens", grouped(window.into()));
        findings.push(
            LINT.finding(span, message, here)
                .help("`reserve` is the room for one reply, usually a few thousand tokens"),
        );
    }
}

fn guards(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let limit = subject.option(&ITERATIONS);
    for guard in rule.guards.iter().filter(|guard| guard.scope == Scope::Run) {
        let (Guard::Every(times) | Guard::Cooldown(times) | Guard::Limit(times)) = guard.node else { continue };
        if Decimal::from(times) >= limit {
            let message = format!("no run reaches `{}`", subject.quote(guard.span));
            findings.push(LINT.finding(guard.span, message, limit_label(limit)));
        }
    }
}

fn large_counts(subject: &Subject<'_>, test: &Test, findings: &mut Vec<Diagnostic>) {
    const PER_RUN: [Type; 2] =
        [Type::Number(Unit::Counted(Counted::Iterations)), Type::Number(Unit::Counted(Counted::Calls))];
    let Relation::Compare(_, Operand::Value(Value::Number(number))) = &test.relation else { return };
    let limit = subject.option(&ITERATIONS);
    if PER_RUN.contains(&test.reading.fact.ty) && test.reading.scope() == Scope::Run && *number >= limit {
        let message = format!("no run reaches `{}`", subject.quote(test.span));
        findings.push(LINT.finding(test.span, message, limit_label(limit)));
    }
}

fn above_window(subject: &Subject<'_>, rule: &Rule, test: &Test, findings: &mut Vec<Diagnostic>) {
    let Relation::Compare(_, Operand::Value(Value::Number(tokens))) = &test.relation else { return };
    let Some(window) = subject.window() else { return };
    let fact = test.reading.fact;
    let is_inside = fact.is_size() || fact.topic == Topic::NewestResult;
    if is_inside && matches!(fact.source, Source::Own) && *tokens > Decimal::from(window) {
        let message = format!("`{}` is larger than the window", quote_constant(subject, rule, test));
        let here = format!("the window is {} tokens", grouped(window.into()));
        findings.push(LINT.finding(test.span, message, here).help("use a share of the window, such as `80%`"));
    }
}

fn kept_amounts(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let limit = subject.option(&KEEP);
    for label in rule.actions.iter().flat_map(|action| &action.labels) {
        let Some((kept, span)) = label.explicit() else { continue };
        if matches!(label.descriptor.role, Some(LabelRole::Keep | LabelRole::RecentZone | LabelRole::MediumZone))
            && kept.unit.is_counted()
            && kept.amount >= limit
        {
            let message = format!("`{}` keeps everything", subject.quote(span));
            findings.push(LINT.finding(span, message, limit_label(limit)));
        }
    }
}

/// Reports a threshold that the system prompt alone exceeds.
fn below_any_prompt(subject: &Subject<'_>, rule: &Rule, test: &Test, findings: &mut Vec<Diagnostic>) {
    let Relation::Compare(_, Operand::Value(Value::Number(tokens))) = &test.relation else { return };
    let is_size = test.reading.fact.is_size() && matches!(test.reading.fact.source, Source::Own);
    if !is_size || tokens.is_zero() || *tokens >= subject.option(&WINDOW) / Decimal::TEN {
        return;
    }
    let message = format!("every prompt is larger than `{}`", quote_constant(subject, rule, test));
    let mut finding = LINT.finding(test.span, message, "smaller than any system prompt");
    let suggestion = Quantity::new(*tokens * Decimal::ONE_THOUSAND, Unit::Tokens).to_string();
    finding.fixes.extend(replace_constant(subject, rule, test, &suggestion));
    findings.push(finding.help("did you forget a `k`?"));
}

/// Reports summaries without room for a sentence.
fn summaries(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let minimum = subject.option(&SUMMARY);
    for action in rule.all_actions() {
        let limit = action
            .label(LabelRole::SummaryLimit)
            .and_then(Label::explicit)
            .filter(|(limit, _)| limit.unit == Unit::Tokens);
        let Some((limit, span)) = limit.filter(|(limit, _)| limit.amount < minimum) else { continue };
        let message = format!("a summary of {limit} is too short to be useful");
        let mut finding = LINT.finding(span, message, format!("fewer than {}", grouped(minimum)));
        let suggestion = Quantity::new(limit.amount * Decimal::ONE_THOUSAND, Unit::Tokens).to_string();
        let edit = set_label(action, LabelRole::SummaryLimit, &suggestion);
        finding.fixes.extend(edit.map(|edit| fix(format!("write `{suggestion}`"), false, edit)));
        findings.push(finding.help("allow at least a few hundred tokens"));
    }
}
