//! `reported-across-phases`

use crate::check::Policy;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::read_from_context;
use crate::lint::analysis::reduction::{is_native_form, reduces};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::phase::Phase;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "reported-across-phases",
        severity: Severity::Warning,
        title: "a size read from before the reply was tidied",
        why: "`reported.*` is the size of the last call as the provider counted it. What a rule on `reply` took \
              away afterwards is not in it, so a rule on the next `request` acts on a size that the context no \
              longer has.",
        wrong: "edition 2026\npolicy p {\n  rule tidy { on reply when context.ratio >= 60% do mask results keep 10 messages at_least 4k tokens }\n  rule sum_up { on request when (reported.ratio ?? 0%) >= 80% do summarise older at_most 2k tokens pin first_user on_failure keep cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule tidy { on reply when context.ratio >= 60% do mask results keep 10 messages at_least 4k tokens }\n  rule sum_up { on request when context.ratio >= 80% do summarise older at_most 2k tokens pin first_user on_failure keep cooldown 3 iterations }\n}\n",
    },
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/chaitanyagiri/munder-difflin/pull/133"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for policy in subject.checked.policies.iter().filter(|_| is_native_form(subject)) {
        in_policy(subject, policy, found);
    }
}

fn in_policy(subject: &Subject<'_>, policy: &Policy, found: &mut Vec<Diagnostic>) {
    let mut reducing = policy.rules.iter().filter(|rule| reduces(rule));
    let Some(tidies) = reducing.clone().find(|rule| rule.phase == Phase::Reply) else { return };
    for rule in reducing.by_ref().filter(|rule| rule.phase == Phase::Request) {
        let Some(threshold) = subject.threshold(rule).filter(|threshold| threshold.reported) else { continue };
        let message = format!("`{}` does not see what `{}` took away on `reply`", rule.name, tidies.name);
        let mut finding = LINT
            .finding(threshold.test.span, message, "the size of the last call, as it was sent")
            .label(tidies.head, "this makes the context smaller after that call")
            .help("read `context.*`, which follows every edit");
        finding.fixes.extend(read_from_context(subject, rule, threshold.test));
        found.push(finding);
    }
}
