//! `flickering-window`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::flicker;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "flickering-window",
        severity: Severity::Warning,
        title: "window that comes and goes",
        why: "`retain` shapes one request; nothing is removed. When the rule is not due, the next request contains \
              the whole conversation again: it is large just then, and the prompt cache loses nearly everything at \
              each change.",
        wrong: "edition 2026\npolicy p {\n  rule recent { do retain last 5 interactions cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule recent { do retain last 5 interactions }\n}\n",
    },
    category: Category::Cache,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(action) = rule.actions.iter().find(|action| action.effect.kind == EffectKind::Retain) else { return };
    let Some(cause) = flicker::cause(rule) else { return };
    let message = format!("only some requests are limited to the window of `{}`", rule.name);
    let finding = LINT
        .finding(action.span, message, "lasts for one request")
        .label(cause, "keeps the window from other requests")
        .help("limit every request, or shorten the conversation itself with `drop older` or `summarise older`");
    findings.push(finding);
}
