//! `no-failure-handling`

use crate::diagnostic::{Code, Severity};
use crate::fact::Topic;
use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "no-failure-handling",
        severity: Severity::Info,
        title: "nothing that heeds errors or circles",
        why: "No rule looks at errors in a row or at repeated calls. An agent that is stuck fills its context with \
              more of the same, and the other rules only make room for it.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n  rule reflect { when failures >= 3 do inject \"Name the cause.\" once per failures }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::File(|subject, found| MISSING.look(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_done: |rule| requirement::reads(rule, |fact| fact.topic == Topic::Trouble),
    is_wanted: None,
    message: "heeds neither errors nor repeated calls",
    here: "no rule reads `failures` or `repeats`",
    help: "add a rule that speaks to an agent that is stuck",
    rule: NewRule {
        title: "add a rule on errors in a row",
        name: "reflect",
        why: "An agent that is stuck is told so before its context fills with more of the same.",
        clauses: &[
            "when failures >= 3",
            "do inject \"{failures} errors in a row: name the cause before the next call.\"",
            "once per failures",
        ],
    },
};
