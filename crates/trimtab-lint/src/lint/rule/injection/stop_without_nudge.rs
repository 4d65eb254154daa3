//! `stop-without-nudge`

use trimtab_base::diagnostic::{Code, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::Topic;

use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code::new("stop-without-nudge", Severity::Info, include_str!("stop_without_nudge.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::File(|subject, found| MISSING.check(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_present: |_, policy| {
        let mut actions = policy.rules.iter().flat_map(Rule::all_actions);
        actions.any(|action| action.effect.kind == EffectKind::AddMessage)
    },
    required_by: Some(|rule| {
        rule.does(EffectKind::Stop) && requirement::reads(rule, |fact| fact.topic == Topic::Trouble)
    }),
    message: "stops a stuck agent without a warning",
    here: "stops without a warning",
    help: "add a rule with `inject` at a lower count",
    rule: NewRule {
        title: "add a rule that warns the model first",
        name: "reflect",
        why: "Tell a stuck agent about its errors before they fill the context.",
        clauses: &[
            "when failures >= 2",
            "do inject \"{failures} errors in a row: name the cause before the next call.\" for step",
            "once per failures",
        ],
    },
};
