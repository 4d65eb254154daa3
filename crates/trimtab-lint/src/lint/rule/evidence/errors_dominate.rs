//! `errors-dominate`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Unit, grouped, percent};
use trimtab_language::check::Rule;
use trimtab_language::effect::TargetKind;
use trimtab_simulate::simulate::Trace;

use crate::lint::analysis::effect_scope::takes_errors;
use crate::lint::analysis::replays::Replays;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("errors-dominate", Severity::Info, include_str!("errors_dominate.md")),
    category: Category::Evidence,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    options: &[&SHARE],
    check: Check::Evidence(check),
    ..Lint::DEFAULT
};

static SHARE: LintOption = LintOption {
    name: "share",
    unit: Unit::Share,
    default: Decimal::from_parts(50, 0, 0, false, 2),
    summary: "The share of errors in the tokens of all results above which a rule is reported.",
};

fn check(subject: &Subject<'_>, traces: &[Trace], findings: &mut Vec<Diagnostic>) {
    let Some(replays) = Replays::of(subject, traces) else { return };
    let errors: u64 = traces.iter().map(|trace| trace.observed.errors).sum();
    let results: u64 = traces.iter().map(|trace| trace.observed.results).sum();
    let share = Decimal::from(errors) / Decimal::from(results.max(1));
    if share <= subject.option(&SHARE) {
        return;
    }
    let rules = replays.rules(subject).map(|(_, rule)| rule);
    let mut actions = rules.flat_map(Rule::all_actions).filter(|action| {
        action.effect.kind.edits_content() && action.target_kind() == Some(TargetKind::Results) && !takes_errors(action)
    });
    let Some(action) = actions.next() else { return };
    let message = format!("{} of the tokens in results belong to errors", percent(share));
    let here = format!("does not reduce {} of {} tokens", grouped(errors.into()), grouped(results.into()));
    let finding = LINT.finding(action.span, message, here).note(replays.sample());
    findings.push(
        finding.help(
            "find out what fails so often; `errors include` reduces errors too, but the model may then repeat them",
        ),
    );
}
