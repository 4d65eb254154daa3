//! `early-reduction`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::EffectKind;
use crate::lint::analysis::edit::replace_constant;
use crate::lint::analysis::placement::is_native_form;
use crate::lint::analysis::reduction::{is_heavy, reduces, tests_context_size};
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};
use crate::quantity::{Decimal, Unit, grouped, percent};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "early-reduction",
        severity: Severity::Warning,
        title: "old content given up while there is plenty of room",
        why: "What is masked, slid or summarised at a quarter of the window is content that the agent has only \
              just read. It reads it again, and the work goes round in circles while most of the window stays \
              empty.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 10% do mask results keep 4 results at_least 4k tokens }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 4 results at_least 4k tokens }\n}\n",
    },
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/amd/gaia/issues/3738"],
    options: &[
        LintOption {
            name: "share",
            unit: Unit::Share,
            default: Decimal::from_parts(25, 0, 0, false, 2),
            summary: "The smallest share of the window at which content may be given up.",
        },
        LintOption {
            name: "tokens",
            unit: Unit::Tokens,
            default: Decimal::from_parts(40_000, 0, 0, false, 0),
            summary: "So many tokens are not early, however small a share they are.",
        },
    ],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// The threshold that the fix suggests.
const USUAL: &str = "60%";

fn check<'a>(subject: &Subject<'a>, rule: &'a Rule, found: &mut Vec<Diagnostic>) {
    if !(reduces(rule) && tests_context_size(rule)) {
        return;
    }
    let Some(threshold) = subject.threshold(rule).filter(|_| gives_up(rule)) else { return };
    if is_early(subject, &threshold) {
        found.push(finding(subject, rule, &threshold));
    }
}

/// Whether a rule takes content away as a whole; a trim leaves its beginning.
fn gives_up(rule: &Rule) -> bool {
    rule.actions.iter().any(|action| is_heavy(action) || action.effect.kind == EffectKind::ReplaceContent)
}

/// Whether a fill is a small share and, as far as that is known, few tokens.
fn is_early(subject: &Subject<'_>, threshold: &Threshold<'_>) -> bool {
    let (share, tokens) = (subject.settings.option(&LINT, "share"), subject.settings.option(&LINT, "tokens"));
    threshold.share.is_none_or(|threshold| threshold < share)
        && threshold.tokens.is_none_or(|threshold| Decimal::from(threshold) < tokens)
}

fn finding(subject: &Subject<'_>, rule: &Rule, threshold: &Threshold<'_>) -> Diagnostic {
    let fill = match threshold.share {
        // A list of effects in YAML has no text for the test.
        Some(share) if !is_native_form(subject) => percent(share),
        _ => subject.text(threshold.test.span).to_owned(),
    };
    let message = format!("`{}` gives old content up at `{fill}`", rule.name);
    let here = match (threshold.share, threshold.tokens) {
        (Some(share), Some(tokens)) => {
            format!("{} tokens, {} of the window", grouped(tokens.into()), percent(share))
        }
        (Some(_), None) => "most of the window is still empty".to_owned(),
        (None, tokens) => format!("{} tokens are little in most windows", grouped(tokens.unwrap_or(0).into())),
    };
    let mut finding = LINT.finding(threshold.test.span, message, here).help("wait until the window is about half full");
    if threshold.share.is_some() {
        finding.fixes.extend(replace_constant(subject, rule, threshold.test, USUAL));
    }
    finding
}
