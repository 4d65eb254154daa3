//! `injection-as-assistant`

use trimtab_base::conversation::Role;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("injection-as-assistant", Severity::Warning, include_str!("injection_as_assistant.md")),
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
