//! `unbounded-run`

use trimtab_base::diagnostic::{Code, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::{Fact, Topic};

use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unbounded-run", Severity::Info, include_str!("unbounded_run.md")),
    category: Category::Safety,
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
        let stops = |rule: &Rule| rule.all_actions().any(|action| action.effect.kind == EffectKind::Stop);
        policy.rules.iter().any(|rule| stops(rule) && requirement::reads(rule, grows_during_run))
    },
    required_by: None,
    message: "never stops a run",
    here: "no rule limits the length of a run",
    help: "add a rule with `stop` on a budget",
    rule: NewRule {
        title: "add a limit of 200 calls",
        name: "over_budget",
        why: "Stop an agent that does not finish.",
        clauses: &["when budget.calls >= 200", "do stop \"200 calls in one run\""],
    },
};

/// Whether a fact grows during a long run.
const fn grows_during_run(fact: &Fact) -> bool {
    matches!(fact.topic, Topic::Iteration | Topic::UserMessages | Topic::Usage | Topic::Trouble)
}
