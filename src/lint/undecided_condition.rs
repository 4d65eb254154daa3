//! `undecided-condition`

use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::condition::Verdict;
use crate::diagnostic::{Code, Diagnostic, Severity};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "undecided-condition",
        title: "a condition too large to decide",
        why: "Whether this condition can hold, and can fail, was not decided: it combines so many facts that the search was given up. Nothing proved is said of the rule, so its other findings may be incomplete.",
        wrong: "edition 2026\npolicy p {\n  rule a { when WIDE do notify \"x\" once }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" once }\n}\n",
    },
    category: Category::Reachability,
    severity: Severity::Info,
    certainty: Certainty::Structural,
    fix: Remedy::None,
    pedantic: false,
    evidence: &[],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for (_, rule) in subject.rules() {
        let Some(Verdict::TooLarge(why)) = subject.verdict(rule) else { continue };
        let span = rule.clause("when").or(rule.clause("unless")).unwrap_or(rule.head);
        let message = format!("the condition of rule `{}` is too large to decide", rule.name);
        found
            .push(LINT.finding(span, message, why.clone()).help("split the rule, or take parts out that say the same"));
    }
}
