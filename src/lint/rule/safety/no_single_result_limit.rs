//! `no-single-result-limit`

use crate::diagnostic::{Code, Severity};
use crate::effect::LabelRole;
use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "no-single-result-limit",
        severity: Severity::Info,
        title: "no rule that trims a single large result",
        why: "One result can be larger than the room that is left, and masks and summaries do not change \
              the newest messages. Only a trim limits what one call can add.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n  rule cut { on reply do trim results to 20k chars keep 1 result }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/langchain-ai/deepagents/pull/3405"],
    check: Check::File(|subject, found| MISSING.check(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_present: |rule| rule.all_actions().any(|action| action.label(LabelRole::ResultLimit).is_some()),
    required_by: None,
    message: "trims no results",
    here: "no rule limits the size of a single result",
    help: "add a rule with `trim results`",
    rule: NewRule {
        title: "add a trim to 20k chars",
        name: "cut_huge_results",
        why: "One result must not fill the context.",
        clauses: &["do trim results to 20k chars keep 1 result"],
    },
};
