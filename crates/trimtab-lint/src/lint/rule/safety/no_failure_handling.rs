//! `no-failure-handling`

use trimtab_base::diagnostic::{Code, Severity};
use trimtab_language::fact::Topic;

use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-failure-handling", Severity::Info, include_str!("no_failure_handling.md")),
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::File(|subject, found| MISSING.check(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_present: |_, policy| {
        policy.rules.iter().any(|rule| requirement::reads(rule, |fact| fact.topic == Topic::Trouble))
    },
    required_by: None,
    message: "handles neither errors nor repeated calls",
    here: "no rule reads `failures` or `repeats`",
    help: "add a rule that injects a message to a stuck agent",
    rule: NewRule {
        title: "add a rule for consecutive errors",
        name: "reflect",
        why: "Tell a stuck agent about its errors before they fill the context.",
        clauses: &[
            "when failures >= 3",
            "do inject \"{failures} errors in a row: name the cause before the next call.\"",
            "once per failures",
        ],
    },
};
