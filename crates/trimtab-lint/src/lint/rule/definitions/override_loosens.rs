//! `override-loosens`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::condition::{Implication, due, implies};
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::overridden::overridden_rules;
use crate::lint::analysis::reduction::reduces;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("override-loosens", Severity::Warning, include_str!("override_loosens.md")),
    category: Category::Definitions,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for overridden in overridden_rules(subject) {
        let (old, new) = (overridden.old, overridden.new);
        if (reduces(old) || old.does(EffectKind::Stop))
            && let Some(state) = lost(subject, old, new)
            && let Some(tree) = subject.tree_at(overridden.span)
        {
            let message = format!("the override of `{}` is due less often than the rule of the base", new.name);
            let finding = LINT
                .finding(tree.name.span, message, format!("not due where {state}"))
                .label(old.head, "the rule of the base, which is due there")
                .help("keep the limit of the base, or allow this finding with a reason");
            findings.push(finding);
        }
    }
}

/// A state in which the rule of the base is due and the override is not, if the override is due in no other states.
fn lost(subject: &Subject<'_>, old: &Rule, new: &Rule) -> Option<String> {
    if old.phase != new.phase {
        return None;
    }
    let world = subject.world(new);
    let (before, after) = (due(old), due(new));
    if implies(&after, &before, &world) != Implication::Proved {
        return None;
    }
    match implies(&before, &after, &world) {
        Implication::Refuted(witness) => Some(witness.to_string()),
        Implication::Proved | Implication::TooLarge(_) => None,
    }
}
