//! `mixed-keep-units`

use std::collections::HashMap;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Quantity, Unit};
use trimtab_base::source::Span;
use trimtab_language::check::{Policy, Rule};
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::reduces_contents;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("mixed-keep-units", Severity::Warning, include_str!("mixed_keep_units.md")),
    category: Category::Units,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// The first rule that protects a target, and how much it keeps.
struct First<'a> {
    rule: &'a Rule,
    kept: Quantity,
    span: Span,
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // The kinds of effects in YAML decide their units.
    for policy in subject.checked.policies.iter().filter(|_| subject.is_policy_source()) {
        in_policy(policy, findings);
    }
}

fn in_policy(policy: &Policy, findings: &mut Vec<Diagnostic>) {
    let mut firsts: HashMap<&str, First<'_>> = HashMap::new();
    for rule in &policy.rules {
        for action in rule.actions.iter().filter(|action| reduces_contents(action)) {
            // Ignore defaults: only values that the author wrote count.
            let Some((kept, span)) = action.explicit(LabelRole::Keep) else { continue };
            // None of something is none of everything.
            if kept.amount.is_zero() {
                continue;
            }
            let target = action.target.map_or("", |target| target.name);
            match firsts.get(target) {
                None => drop(firsts.insert(target, First { rule, kept, span })),
                Some(first) if first.kept.unit != kept.unit => findings.push(finding(target, first, kept, span)),
                Some(_) => {}
            }
        }
    }
}

fn finding(target: &str, first: &First<'_>, kept: Quantity, span: Span) -> Diagnostic {
    let message =
        format!("`{target}` are protected by `{kept}` here, but by `{}` in `{}`", first.kept, first.rule.name);
    let unit = first.kept.unit;
    let mut finding = LINT
        .finding(span, message, measured(kept.unit))
        .label(first.span, measured(unit))
        .help("use one unit for what is kept of one target");
    // The same number of tokens is another tail.
    if unit.is_counted() && kept.unit.is_counted() {
        let text = format!("keep {}", Quantity { unit, ..kept });
        finding.fixes.push(fix(format!("write `{text}`"), false, TextEdit { span, text }));
    }
    finding
}

fn measured(unit: Unit) -> String {
    match unit {
        Unit::Share => "a share of the window".to_owned(),
        unit if unit.is_counted() => format!("counted in {}", unit.noun()),
        unit => format!("measured in {}", unit.noun()),
    }
}
