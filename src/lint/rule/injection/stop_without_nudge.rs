//! `stop-without-nudge`

use crate::diagnostic::{Code, Severity};
use crate::effect::EffectKind;
use crate::fact::Topic;
use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "stop-without-nudge",
        severity: Severity::Info,
        title: "a stop without a word before it",
        why: "The run is ended for something that the model could have mended, had it been told. A message at a \
              lower count often saves the run.",
        wrong: "edition 2026\npolicy p {\n  rule give_up { when failures >= 6 do stop \"six errors in a row\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \"Think first.\" once per failures }\n  rule give_up { when failures.total >= 6 do stop \"six errors\" }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::File(|subject, found| MISSING.look(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_done: |rule| rule.all_actions().any(|action| action.effect.kind == EffectKind::AddMessage),
    is_wanted: Some(|rule| {
        rule.does(EffectKind::Stop) && requirement::reads(rule, |fact| fact.topic == Topic::Trouble)
    }),
    message: "stops a stuck agent without a word before",
    here: "stops at once",
    help: "add a rule that does `inject` at a lower count",
    rule: NewRule {
        title: "add a rule that speaks first",
        name: "reflect",
        why: "An agent that is stuck is told so before its context fills with more of the same.",
        clauses: &[
            "when failures >= 2",
            "do inject \"{failures} errors in a row: name the cause before the next call.\" for step",
            "once per failures",
        ],
    },
};
