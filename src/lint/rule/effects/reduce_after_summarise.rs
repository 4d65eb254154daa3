//! `reduce-after-summarise`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::moved;
use crate::lint::analysis::step_order::{Step, for_each_pair, runs_after_summary};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "reduce-after-summarise",
        severity: Severity::Warning,
        title: "a mask or cut behind a summary of everything",
        why: "A summary of everything leaves no old content. A mask or cut that needs the same fill and stands \
              behind it in the phase has something to do only when the summary has failed. Cheap relief belongs \
              before the costly one, and a way out of a failure behind `on_failure`.",
        wrong: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise all at_most 2k tokens on_failure keep }\n  rule hide { when context.ratio >= 85% do mask results keep 6 results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results keep 6 results }\n  rule sum_up { when context.ratio >= 80% do summarise all at_most 2k tokens on_failure keep }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for_each_pair(subject, effect_scope::takes_all, |earlier, later| found.extend(idle(subject, earlier, later)));
}

fn idle(subject: &Subject<'_>, summary: Step<'_>, later: Step<'_>) -> Option<Diagnostic> {
    if !later.action.effect.kind.edits_content() || !runs_after_summary(subject, summary.rule, later.rule) {
        return None;
    }
    let message = format!("`{}` finds nothing when everything has just been summarised", later.action.effect.name);
    let mut finding = LINT
        .finding(later.action.span, message, "nothing is left to reduce")
        .label(summary.action.span, "everything is summarised here")
        .help("put it before the summary with a lower threshold, or behind `on_failure then` of the summary");
    if !std::ptr::eq(summary.rule, later.rule) {
        finding.fixes.extend(moved(subject, later.rule, summary.rule, true));
    }
    Some(finding)
}
