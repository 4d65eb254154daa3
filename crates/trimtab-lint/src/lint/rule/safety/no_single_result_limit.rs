//! `no-single-result-limit`

use smol_str::SmolStr;
use trimtab_base::conversation::covers;
use trimtab_base::diagnostic::{Code, Severity};
use trimtab_base::quantity::{Decimal, Unit, share_of};
use trimtab_language::check::{Action, Policy, Rule};
use trimtab_language::effect::{LabelRole, Scope};
use trimtab_language::phase::Phase;

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::missing_rule::MissingRule;
use crate::lint::analysis::placement::NewRule;
use crate::lint::analysis::reduction::is_rate_limited;
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

/// The window that is assumed where it is unknown, in tokens.
const USUAL_WINDOW: u64 = 200_000;

static MISSING: MissingRule = MissingRule {
    lint: &LINT,
    is_present: limits_all_results,
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

/// Whether the rules of a policy limit the results of all tools before a request contains them, at every call.
fn limits_all_results(subject: &Subject<'_>, policy: &Policy) -> bool {
    let is_always_due = |rule: &&Rule| {
        rule.phase != Phase::Reply && !is_rate_limited(subject, rule) && subject.threshold(rule).is_none()
    };
    let most = share_of(subject.window().unwrap_or(USUAL_WINDOW), subject.option(&SHARE));
    let actions = policy.rules.iter().filter(is_always_due).flat_map(|rule| &rule.actions);
    let limits: Vec<&Action> =
        actions.filter(|action| edits_new_results(action) && effect_scope::longest_left(action) <= most).collect();
    let is_limited = |tool: &SmolStr| limits.iter().any(|action| selects(action, tool));
    let is_complete = |action: &&Action| {
        let spared = action.names(LabelRole::ExceptTools).unwrap_or_default();
        action.names(LabelRole::OnlyTools).is_none() && spared.iter().all(is_limited)
    };
    let declared = subject.checked.agent.tools.as_ref();
    limits.iter().any(is_complete) || declared.is_some_and(|tools| !tools.is_empty() && tools.iter().all(is_limited))
}

/// Whether an action edits results before a request contains them.
fn edits_new_results(action: &Action) -> bool {
    action.effect.kind.edits_content()
        && match action.scope() {
            Some(Scope::Arrivals) => true,
            Some(Scope::Results) => effect_scope::keeps_nothing(action),
            _ => false,
        }
}

/// Whether an action edits the results of all tools with a name or a pattern.
fn selects(action: &Action, tool: &SmolStr) -> bool {
    let tool = std::slice::from_ref(tool);
    let only = action.names(LabelRole::OnlyTools).is_none_or(|only| effect_scope::within(tool, only));
    let spared = action.names(LabelRole::ExceptTools).unwrap_or_default();
    only && !spared.iter().any(|name| effect_scope::within(tool, std::slice::from_ref(name)) || covers(&tool[0], name))
}
