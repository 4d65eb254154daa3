//! `unbounded-run`

use crate::diagnostic::{Code, Severity};
use crate::effect::EffectKind;
use crate::fact::{Fact, Topic};
use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unbounded-run",
        severity: Severity::Info,
        title: "nothing that ends a long run",
        why: "An agent that never finds an end is stopped by nothing in this policy: no limit on calls, tokens, \
              money, time or errors. Runs of this kind have cost much before somebody noticed.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n  rule enough { when budget.calls >= 200 do stop \"200 calls\" }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/openclaw/openclaw/pull/17118"],
    check: Check::File(|subject, found| MISSING.look(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_done: |rule| {
        rule.all_actions().any(|action| action.effect.kind == EffectKind::Stop) && requirement::reads(rule, limits)
    },
    is_wanted: None,
    message: "ends no run",
    here: "no rule stops a run that goes on and on",
    help: "add a rule that does `stop` on a budget",
    rule: NewRule {
        title: "add a limit of 200 calls",
        name: "over_budget",
        why: "An agent that finds no end is stopped.",
        clauses: &["when budget.calls >= 200", "do stop \"200 calls in one run\""],
    },
};

/// Whether a fact grows while a run goes on and on.
const fn limits(fact: &Fact) -> bool {
    matches!(fact.topic, Topic::Iteration | Topic::Usage | Topic::Trouble)
}
