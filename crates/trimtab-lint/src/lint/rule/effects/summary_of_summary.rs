//! `summary-of-summary`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Action;
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::step_order::{Step, always_preceded_by, for_each_pair};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "summary-of-summary",
        severity: Severity::Warning,
        title: "summary of everything right after another summary",
        why: "`reported.*` does not change during a phase. A rule that reads it and summarises everything is still due \
              after an earlier rule has summarised old messages, so one request pays for two summaries, and the \
              second replaces the first. Put the summary of everything first: then the other one finds nothing to do.",
        wrong: "edition 2026\npolicy p {\n  rule window { when (reported.ratio ?? 0%) >= 70% do slide recent 10 messages medium 10 messages on_failure keep }\n  rule sum_up { when (reported.ratio ?? 0%) >= 80% do summarise all at_most 2k tokens on_failure keep }\n}\n",
        right: "edition 2026\npolicy p {\n  rule sum_up { when (reported.ratio ?? 0%) >= 80% do summarise all at_most 2k tokens on_failure keep }\n  rule window { when (reported.ratio ?? 0%) >= 70% do slide recent 10 messages medium 10 messages on_failure keep }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    supersedes: &["reported-ladder"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let summarises = |action: &Action| action.effect.kind == EffectKind::Summarise;
    for_each_pair(subject, summarises, |earlier, later| findings.extend(repeated(subject, earlier, later)));
}

fn repeated(subject: &Subject<'_>, earlier: Step<'_>, later: Step<'_>) -> Option<Diagnostic> {
    if std::ptr::eq(earlier.rule, later.rule)
        || !effect_scope::summarises_everything(later.action)
        || !subject.threshold(later.rule)?.reported
        || !always_preceded_by(subject, later.rule, earlier.rule)
    {
        return None;
    }
    let message = format!("`{}` summarises again what `{}` has just summarised", later.rule.name, earlier.rule.name);
    let finding = LINT
        .finding(later.action.span, message, "due at the same request")
        .label(earlier.action.span, "the first summary")
        .help("put the summary of everything before the other one");
    Some(finding)
}
