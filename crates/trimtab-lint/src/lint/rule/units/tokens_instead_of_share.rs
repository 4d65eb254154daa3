//! `tokens-instead-of-share`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Quantity, Unit, Value, grouped};
use trimtab_language::check::{Operand, Relation, Rule};
use trimtab_language::fact::{Fact, Source};

use crate::lint::analysis::edit::replace_constant;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("tokens-instead-of-share", Severity::Info, include_str!("tokens_instead_of_share.md")),
    category: Category::Units,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    evidence: &[
        "https://github.com/openai/codex/issues/33833",
        "https://github.com/anthropics/claude-code/issues/36014",
        "https://github.com/anthropics/claude-code/issues/72600",
    ],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for test in rule.tests() {
        let Relation::Compare(_, Operand::Value(Value::Number(tokens))) = &test.relation else { continue };
        if !is_tokens(test.reading.fact) || tokens.is_zero() {
            continue;
        }
        let message = format!("`{}` fits one window only", subject.quote(test.span));
        let here = subject.window().map_or("a number of tokens".to_owned(), |window| share_of_window(*tokens, window));
        let mut finding = LINT.finding(test.span, message, here).help("use a share of the window");
        let share = subject.window().and_then(|window| even_share(*tokens, window));
        finding.fixes.extend(share.and_then(|share| replace_constant(subject, rule, test, &share)));
        findings.push(finding);
    }
}

/// Whether a fact is the size of a context in tokens.
fn is_tokens(fact: &Fact) -> bool {
    fact.is_size() && matches!(fact.source, Source::Own)
}

fn share_of_window(tokens: Decimal, window: u64) -> String {
    let share = (tokens / Decimal::from(window) * Decimal::ONE_HUNDRED).round_dp(1).normalize();
    format!("{share}% of {} tokens", grouped(window.into()))
}

/// The tokens as a share of the window, when that is a whole percentage.
fn even_share(tokens: Decimal, window: u64) -> Option<String> {
    let share = tokens.checked_div(Decimal::from(window))?;
    let percent = share * Decimal::ONE_HUNDRED;
    (percent.fract().is_zero() && percent <= Decimal::ONE_HUNDRED)
        .then(|| Quantity::new(share, Unit::Share).to_string())
}
