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
        title: "nothing that cuts one huge result",
        why: "A single result can be larger than all the room that is left, and masks and summaries leave the \
              newest messages alone. Only a cut bounds what one call can bring in.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n  rule cut { on reply do trim results to 20k chars keep 1 result }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/langchain-ai/deepagents/pull/3405"],
    check: Check::File(|subject, found| MISSING.look(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_done: |rule| rule.all_actions().any(|action| action.label(LabelRole::ResultLimit).is_some()),
    is_wanted: None,
    message: "cuts no result",
    here: "no rule cuts a result that is larger than the room",
    help: "add a rule that does `trim results`",
    rule: NewRule {
        title: "add a cut at 20k chars",
        name: "cut_huge_results",
        why: "One result must not take all the room.",
        clauses: &["do trim results to 20k chars keep 1 result"],
    },
};
