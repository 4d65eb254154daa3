//! `repeats-in-context-only`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Counted, Decimal, Quantity, Unit, Value};
use trimtab_language::check::{Action, Operand, Reading, Relation, Rule, Test};
use trimtab_language::effect::{self, LabelRole};
use trimtab_language::fact::{CallsFrom, Topic};

use crate::lint::analysis::edit::{comparison_parts, fix, set_argument};
use crate::lint::analysis::reduction::{removes_older_messages, removes_redundant};
use crate::lint::analysis::requirement;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("repeats-in-context-only", Severity::Warning, include_str!("repeats_in_context_only.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in subject.checked.policies.iter().filter(|_| subject.is_policy_source()) {
        let removals = policy
            .rules
            .iter()
            .flat_map(Rule::all_actions)
            .filter(|action| removes_older_messages(action) || removes_redundant(action));
        let Some((calls, removal)) =
            removals.filter_map(|removal| Some((kept(removal)?, removal))).min_by_key(|(calls, _)| *calls)
        else {
            continue;
        };
        for rule in subject.rules_of(policy) {
            for (test, truth) in rule.condition.required_tests() {
                if is_hidden(test, truth, calls) {
                    findings.push(finding(subject, rule, test, removal));
                }
            }
        }
    }
}

/// Returns how many calls a summary or a removal leaves in the context if each has one result, or `None` if that is
/// unknown. Of redundant calls, the newest stays.
fn kept(summary: &Action) -> Option<u64> {
    in_tail(summary).map(|calls| calls.max(u64::from(removes_redundant(summary))))
}

fn in_tail(summary: &Action) -> Option<u64> {
    if let Some(recent) = summary.quantity(LabelRole::RecentZone) {
        let medium = summary.quantity(LabelRole::MediumZone).map_or(0, Quantity::to_u64);
        return Some(recent.to_u64().saturating_add(medium) / 2);
    }
    match summary.quantity(LabelRole::Keep) {
        None if summary.target_kind() == Some(effect::TargetKind::AllMessages) => Some(0),
        None => Some(5),
        Some(keep) => match keep.unit {
            Unit::Counted(Counted::Messages) => Some(keep.to_u64() / 2),
            Unit::Counted(Counted::Results) => Some(keep.to_u64()),
            _ => None,
        },
    }
}

/// Whether a test requires more repeated calls than are left.
fn is_hidden(test: &Test, truth: bool, calls: u64) -> bool {
    let Relation::Compare(_, Operand::Value(Value::Number(limit))) = &test.relation else { return false };
    let Reading { fact, arguments, .. } = &test.reading;
    let in_context = fact.topic == Topic::Trouble && fact.calls_from(arguments) == Some(CallsFrom::Context);
    in_context && requirement::is_lower_bound(test, truth) == Some(true) && *limit > Decimal::from(calls)
}

fn finding(subject: &Subject<'_>, rule: &Rule, test: &Test, removal: &Action) -> Diagnostic {
    let span = test.reading.span;
    let fact = test.reading.name();
    let what = if removal.effect.kind.can_fail() { "a summary".to_owned() } else { format!("`{}`", removal.title()) };
    let message = format!("{what} removes calls that `{fact}` considers");
    let mut finding = LINT
        .finding(span, message, "considers only the calls in the context")
        .label(removal.span, "leaves fewer calls than required")
        .help("consider the calls of the whole run with `in: run`");
    let edit =
        comparison_parts(subject, rule, test).and_then(|(.., fact)| set_argument(fact, "in", CallsFrom::Run.word()));
    finding.fixes.extend(edit.map(|edit| fix("consider the whole run", false, edit)));
    finding
}
