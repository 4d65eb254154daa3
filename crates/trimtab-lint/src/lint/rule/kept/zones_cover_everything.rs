//! `zones-cover-everything`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use trimtab_base::quantity::{Counted, Quantity, Unit};
use trimtab_language::check::{Action, Rule, Test};
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::set_label;
use crate::lint::analysis::reduction::{all_but, least_count, tests_context_size};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("zones-cover-everything", Severity::Warning, include_str!("zones_cover_everything.md")),
    category: Category::Kept,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    // With a size threshold, the count only delays the rule until there is something to do.
    if tests_context_size(rule) {
        return;
    }
    let Some((test, least)) = least_count(&rule.condition, Unit::Counted(Counted::Messages)) else { return };
    for action in rule.actions.iter().filter(|action| action.label(LabelRole::RecentZone).is_some()) {
        let zone = |role| action.quantity(role).map_or(0, Quantity::to_u64);
        let (recent, medium) = (zone(LabelRole::RecentZone), zone(LabelRole::MediumZone));
        if recent.saturating_add(medium).saturating_add(1) >= least {
            findings.push(finding(rule, action, test, (recent, medium), least));
        }
    }
}

fn finding(rule: &Rule, action: &Action, test: &Test, (recent, medium): (u64, u64), least: u64) -> Diagnostic {
    let sum = recent.saturating_add(medium);
    let rest = all_but(least.saturating_sub(sum));
    let message = format!("the zones of `{}` cover {rest} of the messages that it waits for", rule.name);
    let here = format!("{recent} plus {medium} are {sum} messages");
    let mut finding = LINT
        .finding(action.span, message, here)
        .label(test.span, format!("due at {least} or more messages"))
        .help("make the zones cover half of the messages that the rule waits for");
    finding.fixes.extend(smaller(action, least / 4));
    finding
}

/// The fix that sets the size of each zone.
fn smaller(action: &Action, zone: u64) -> Option<Fix> {
    let text = Quantity::whole(zone, Unit::Counted(Counted::Messages)).to_string();
    let zones = [LabelRole::RecentZone, LabelRole::MediumZone].map(|role| set_label(action, role, &text));
    let edits = zones.into_iter().flatten().collect();
    let title = format!("write `recent {text} medium {text}`");
    (zone > 0 && zone < u64::MAX / 4).then_some(Fix::new(title, false, edits))
}
