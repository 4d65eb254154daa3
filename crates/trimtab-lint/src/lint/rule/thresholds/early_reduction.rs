//! `early-reduction`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Unit, grouped, percent};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::{EffectKind, TargetKind};

use crate::lint::analysis::edit::move_threshold;
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::reduction::{reduces, removes_older_messages, tests_context_size};
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("early-reduction", Severity::Warning, include_str!("early_reduction.md")),
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/amd/gaia/issues/3738"],
    options: &[&SHARE, &TOKENS],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

static SHARE: LintOption = LintOption {
    name: "share",
    unit: Unit::Share,
    default: Decimal::from_parts(25, 0, 0, false, 2),
    summary: "The smallest accepted share of the window at which content is removed.",
};

static TOKENS: LintOption = LintOption {
    name: "tokens",
    unit: Unit::Tokens,
    default: Decimal::from_parts(40_000, 0, 0, false, 0),
    summary: "Thresholds of at least this many tokens are accepted whatever share they are.",
};

/// The threshold that the fix suggests.
const SUGGESTED_THRESHOLD: Decimal = Decimal::from_parts(60, 0, 0, false, 2);

fn check<'a>(subject: &Subject<'a>, rule: &'a Rule, findings: &mut Vec<Diagnostic>) {
    if !(reduces(subject, rule) && tests_context_size(rule)) {
        return;
    }
    let Some(threshold) = subject.threshold(rule).filter(|_| removes_content(rule)) else { return };
    if is_early(subject, &threshold) {
        findings.push(finding(subject, rule, &threshold));
    }
}

/// Whether a rule removes contents that nothing replaces: whole, or cut to so little that the agent has to read them again.
fn removes_content(rule: &Rule) -> bool {
    let whole = |action: &Action| match action.effect.kind {
        EffectKind::ReplaceContent | EffectKind::Remove => true,
        EffectKind::CutContent => !effect_scope::cuts_to_long(action),
        _ => false,
    };
    let replaced = |action: &Action| action.target_kind().is_some_and(TargetKind::is_redundant);
    rule.actions.iter().any(|action| removes_older_messages(action) || whole(action) && !replaced(action))
}

/// Whether a threshold is a small share of the window and few tokens, as far as both are known.
fn is_early(subject: &Subject<'_>, threshold: &Threshold<'_>) -> bool {
    let (share, tokens) = (subject.option(&SHARE), subject.option(&TOKENS));
    (threshold.share.is_some() || threshold.tokens.is_some())
        && threshold.share.is_none_or(|threshold| threshold < share)
        && threshold.tokens.is_none_or(|threshold| Decimal::from(threshold) < tokens)
}

fn finding(subject: &Subject<'_>, rule: &Rule, threshold: &Threshold<'_>) -> Diagnostic {
    let size = match threshold.share {
        // In YAML the test has no text of its own.
        Some(share) if !subject.is_policy_source() => percent(share),
        _ => subject.quote(threshold.test.span).to_string(),
    };
    let message = format!("`{}` removes old content at `{size}`", rule.name);
    let here = match (threshold.share, threshold.tokens) {
        (Some(share), Some(tokens)) => {
            format!("{} tokens, {} of the window", grouped(tokens.into()), percent(share))
        }
        (Some(_), None) => "most of the window is still free".to_owned(),
        (None, tokens) => format!("{} tokens are a small part of most windows", grouped(tokens.unwrap_or(0).into())),
    };
    let mut finding =
        LINT.finding(threshold.test.span, message, here).help("wait until about half of the window is used");
    if threshold.share.is_some() {
        finding.fixes.extend(move_threshold(subject, rule, threshold.test, SUGGESTED_THRESHOLD));
    }
    finding
}
