//! `injection-as-assistant`

use trimtab_base::conversation::Role;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "injection-as-assistant",
        severity: Severity::Warning,
        title: "message injected in the name of the model",
        why: "The request ends with words that the model did not write. Some providers treat them as the \
              beginning of the reply, which the model continues; others reject the request.",
        wrong: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \"Think first.\" as assistant once per failures }\n}\n",
        right: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \"Think first.\" as user once per failures }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let other = action.effect.kind == EffectKind::AddMessage
            && action.word(LabelRole::MessageRole) == Some(Role::Assistant.word());
        let (true, Some(span)) = (other, action.place(LabelRole::MessageRole)) else { continue };
        let mut finding = LINT
            .finding(span, "a message is injected in the name of the model", "the model did not write this")
            .help("inject the message `as user`");
        finding.fixes.extend(remove_label(subject, span, "inject the message as the user", false));
        findings.push(finding);
    }
}
