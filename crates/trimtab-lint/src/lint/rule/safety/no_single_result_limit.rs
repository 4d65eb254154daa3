//! `no-single-result-limit`

use trimtab_base::diagnostic::{Code, Severity};
use trimtab_language::check::Action;
use trimtab_language::effect::Scope;
use trimtab_language::phase::Phase;

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-single-result-limit", Severity::Info, include_str!("no_single_result_limit.md")),
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
    is_present: |rule| rule.phase != Phase::Reply && rule.actions.iter().any(limits_new_results),
    required_by: None,
    message: "sends a new result of any size",
    here: "no rule limits the size of a single result",
    help: "add a rule with `trim arrivals`",
    rule: NewRule {
        title: "add a trim of new results to 20k chars",
        name: "limit_new_results",
        why: "One result must not fill the context.",
        clauses: &["do trim arrivals to 20k chars"],
    },
};

/// Whether an action makes a long result shorter before a request contains it.
fn limits_new_results(action: &Action) -> bool {
    action.effect.kind.edits_content()
        && match action.scope() {
            Some(Scope::Arrivals) => true,
            Some(Scope::Results) => effect_scope::keeps_nothing(action),
            _ => false,
        }
}
