//! `no-single-result-limit`

use trimtab_base::diagnostic::{Code, Severity};
use trimtab_base::quantity::{Decimal, Unit, share_of};
use trimtab_language::check::Policy;

use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::result_limit::{USUAL_WINDOW, limits_all_results};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-single-result-limit", Severity::Info, include_str!("no_single_result_limit.md")),
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    options: &[&SHARE],
    evidence: &["https://github.com/langchain-ai/deepagents/pull/3405"],
    check: Check::File(|subject, found| MISSING.check(subject, found)),
    ..Lint::DEFAULT
};

static SHARE: LintOption = LintOption {
    name: "share",
    unit: Unit::Share,
    default: Decimal::from_parts(50, 0, 0, false, 2),
    summary: "The largest accepted limit for a single result, as a share of the window.",
};

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_present: limits_results,
    required_by: None,
    message: "sends new results that may fill the window",
    here: "no rule limits the size of every new result",
    help: "add a rule with `trim arrivals`",
    rule: NewRule {
        title: "add a trim of new results to 20k chars",
        name: "limit_new_results",
        why: "One result must not fill the context.",
        clauses: &["do trim arrivals to 20k chars"],
    },
};

fn limits_results(subject: &Subject<'_>, policy: &Policy) -> bool {
    let most = share_of(subject.window().unwrap_or(USUAL_WINDOW), subject.option(&SHARE));
    limits_all_results(subject, policy, most)
}
