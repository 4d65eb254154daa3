//! `undecided-condition`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::condition::Verdict;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "undecided-condition",
        severity: Severity::Info,
        title: "condition too large to analyse",
        why: "The condition combines so many facts that the analysis stopped before it could decide \
              whether the condition can hold and can fail. Other lints may therefore miss problems of this \
              rule.",
        wrong: "edition 2026\npolicy p {\n  rule a { when ((context.ratio >= 11.0% and context.tokens < 20k tokens and context.free < 3k tokens) \
               or (context.ratio >= 16.1% and context.tokens < 27k tokens and context.free < 4k tokens) \
               or (context.ratio >= 21.2% and context.tokens < 34k tokens and context.free < 5k tokens) \
               or (context.ratio >= 26.3% and context.tokens < 41k tokens and context.free < 6k tokens) \
               or (context.ratio >= 31.4% and context.tokens < 48k tokens and context.free < 7k tokens) \
               or (context.ratio >= 36.5% and context.tokens < 55k tokens and context.free < 8k tokens) \
               or (context.ratio >= 41.6% and context.tokens < 62k tokens and context.free < 9k tokens) \
               or (context.ratio >= 46.7% and context.tokens < 69k tokens and context.free < 10k tokens) \
               or (context.ratio >= 51.8% and context.tokens < 76k tokens and context.free < 11k tokens) \
               or (context.ratio >= 56.9% and context.tokens < 83k tokens and context.free < 12k tokens) \
               or (context.ratio >= 61.10% and context.tokens < 90k tokens and context.free < 13k tokens) \
               or (context.ratio >= 66.11% and context.tokens < 97k tokens and context.free < 14k tokens) \
               or (context.ratio >= 71.12% and context.tokens < 104k tokens and context.free < 15k tokens) \
               or (context.ratio >= 76.13% and context.tokens < 111k tokens and context.free < 16k tokens)) \
               and context.tokens >= 1M tokens do notify \"x\" once }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" once }\n}\n",
    },
    category: Category::Reachability,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(Verdict::TooLarge(why)) = subject.verdict(rule) else { return };
    let span = rule.condition_span().unwrap_or(rule.head);
    let message = format!("the condition of rule `{}` is too large to decide", rule.name);
    findings.push(LINT.finding(span, message, why.clone()).help("split the rule, or remove redundant parts"));
}
