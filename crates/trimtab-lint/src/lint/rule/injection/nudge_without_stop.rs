//! `nudge-without-stop`

use trimtab_base::diagnostic::{Code, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::Topic;

use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code::new("nudge-without-stop", Severity::Info, include_str!("nudge_without_stop.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/openclaw/openclaw/pull/17118"],
    check: Check::File(|subject, found| MISSING.check(subject, found)),
    ..Lint::DEFAULT
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_present: |_, policy| {
        let mut actions = policy.rules.iter().flat_map(Rule::all_actions);
        actions.any(|action| action.effect.kind == EffectKind::Stop)
    },
    required_by: Some(|rule| {
        rule.does(EffectKind::AddMessage) && requirement::reads(rule, |fact| fact.topic == Topic::Trouble)
    }),
    message: "warns a stuck agent, but nothing stops it",
    here: "only injects a message",
    help: "add a rule with `stop`",
    rule: NewRule {
        title: "add a rule that stops the run",
        name: "give_up",
        why: "A stuck agent costs money until the run is stopped.",
        clauses: &["when failures.total >= 20", "do stop \"20 tool calls of this run have failed\""],
    },
};
