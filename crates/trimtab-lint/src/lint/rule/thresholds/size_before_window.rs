//! `size-before-window`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Policy, Rule};
use trimtab_language::effect::EffectKind;
use trimtab_language::phase::Phase;

use crate::lint::analysis::placement::moved;
use crate::lint::analysis::reduction::reduces;
use crate::lint::analysis::step_order::always_preceded_by;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("size-before-window", Severity::Warning, include_str!("size_before_window.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        in_policy(subject, policy, findings);
    }
}

fn in_policy(subject: &Subject<'_>, policy: &Policy, findings: &mut Vec<Diagnostic>) {
    let leaves_out = |rule: &&Rule| {
        rule.phase == Phase::Request && rule.actions.iter().any(|action| action.effect.kind == EffectKind::Retain)
    };
    let last = policy.rules.iter().enumerate().rfind(|(_, rule)| leaves_out(rule));
    let Some((at, window)) = last else { return };
    let Some(retain) = window.actions.iter().find(|action| action.effect.kind == EffectKind::Retain) else { return };
    let first = policy.rules.iter().position(|rule| leaves_out(&rule));
    let earlier = policy.rules.iter().enumerate().take(at);
    let earlier = earlier.filter(|(_, rule)| rule.phase == Phase::Request && reduces(subject, rule));
    for (at, rule) in earlier.filter(|(_, rule)| rule.span.source == subject.source.id()) {
        let after_window = first.is_some_and(|first| first < at);
        let Some(threshold) = subject.threshold(rule).filter(|threshold| !threshold.reported) else { continue };
        if after_window || !always_preceded_by(subject, rule, window) {
            continue;
        }
        let message = format!("`{}` measures messages that `{}` does not send", rule.name, window.name);
        let mut finding = LINT
            .finding(threshold.test.span, message, "the size of the whole conversation")
            .label(retain.span, "leaves out older interactions, later in the same phase")
            .help(format!("move `{}` after `{}`", rule.name, window.name));
        if window.span.source == subject.source.id() && subject.is_policy_source() {
            finding.fixes.extend(moved(subject, window, rule, true));
        }
        findings.push(finding);
    }
}
