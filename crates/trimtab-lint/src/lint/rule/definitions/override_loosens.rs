//! `override-loosens`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Rule};
use trimtab_language::condition::{Implication, due, implies};
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::overridden::overridden_rules;
use crate::lint::analysis::reduction::{reduces_contents, removes_older_messages};
use crate::lint::analysis::strength::{self, Guards, StrengthChange};
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
        if (shortens(old) || old.does(EffectKind::Stop))
            && let Some((message, here)) = loosened(subject, old, new)
            && let Some(tree) = subject.tree_at(overridden.span)
        {
            let message = format!("the override of `{}` {message}", new.name);
            let finding = LINT
                .finding(tree.name.span, message, here)
                .label(old.head, "the rule of the base")
                .help("keep the limit of the base, or allow this finding with a reason");
            findings.push(finding);
        }
    }
}

/// Whether a rule reduces the context, or limits what is added to it.
fn shortens(rule: &Rule) -> bool {
    rule.actions.iter().any(|action| reduces_contents(action) || removes_older_messages(action))
}

/// How an override loosens a rule, and the label that explains it, or `None` if it does not, or tightens something else. An
/// override loosens a rule that no longer stops or reduces, or that does so less often or less strongly.
fn loosened(subject: &Subject<'_>, old: &Rule, new: &Rule) -> Option<(&'static str, String)> {
    let acts = |rule: &Rule| rule.actions.iter().map(Action::title).collect::<Vec<_>>().join("`, then `");
    if old.does(EffectKind::Stop) && !new.does(EffectKind::Stop) {
        return Some(("no longer stops the run", format!("only does `{}`", acts(new))));
    }
    if shortens(old) && !shortens(new) && !new.does(EffectKind::Stop) {
        return Some(("no longer reduces the context", format!("only does `{}`", acts(new))));
    }
    if old.phase != new.phase {
        return None;
    }
    let assumptions = subject.assumptions(new);
    let (before, after) = (due(old), due(new));
    let effects = strength::compare(old, new);
    let guards = Guards::of(old, &assumptions).compare(&Guards::of(new, &assumptions), &assumptions);
    if [&effects, &guards].contains(&&StrengthChange::Different)
        || implies(&after, &before, &assumptions) != Implication::Proved
    {
        return None;
    }
    let seldom = "is due less often than the rule of the base";
    match (implies(&before, &after, &assumptions), guards, effects) {
        (Implication::Refuted(witness), ..) => Some((seldom, format!("not due where {witness}"))),
        (Implication::Proved, StrengthChange::Weaker(here), _) => Some((seldom, here)),
        (Implication::Proved, _, StrengthChange::Weaker(here)) => {
            Some(("reduces less than the rule of the base", here))
        }
        _ => None,
    }
}
