//! `no-tool-left`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Condition, Rule};
use trimtab_language::condition::{Decision, decide};
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::effect_scope::within;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-tool-left", Severity::Warning, include_str!("no_tool_left.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let hides = |action: &&Action| action.names(LabelRole::HiddenTools).is_some_and(|hidden| !hidden.is_empty());
        let hiding: Vec<&Rule> =
            policy.rules.iter().filter(|rule| rule.all_actions().any(|action| hides(&action))).collect();
        for rule in subject.rules_of(policy) {
            for action in rule.all_actions() {
                findings.extend(hidden_by(subject, &hiding, rule, action));
            }
        }
    }
}

/// A finding, if another action hides all tools that this one offers, and both can act at one call.
fn hidden_by(subject: &Subject<'_>, hiding: &[&Rule], rule: &Rule, action: &Action) -> Option<Diagnostic> {
    let offered = action.names(LabelRole::OfferedTools).filter(|offered| !offered.is_empty())?;
    let hides_all = |other: &Action| other.names(LabelRole::HiddenTools).is_some_and(|hidden| within(offered, hidden));
    let (other, hiding) = hiding.iter().filter(|other| other.phase == rule.phase).find_map(|other| {
        let hiding = other.all_actions().find(|hiding| hides_all(hiding))?;
        can_meet(subject, rule, other).then_some((*other, hiding))
    })?;
    let message = format!("`{}` hides every tool that `{}` offers", other.name, rule.name);
    let finding = LINT
        .finding(action.span, message, "offers these tools only")
        .label(hiding.span, "hides all of them")
        .help("offer a tool that is not hidden, or keep the rules from being due at one call");
    Some(finding)
}

/// Whether two rules can be due at one call.
fn can_meet(subject: &Subject<'_>, rule: &Rule, other: &Rule) -> bool {
    let both = Condition::All(vec![rule.condition.clone(), other.condition.clone()]);
    std::ptr::eq(rule, other) || !matches!(decide(&both, &subject.assumptions(rule)), Decision::Never)
}
