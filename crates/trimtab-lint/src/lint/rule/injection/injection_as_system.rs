//! `injection-as-system`

use trimtab_base::conversation::Role;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("injection-as-system", Severity::Warning, include_str!("injection_as_system.md")),
    category: Category::Injection,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/BerriAI/litellm/pull/38053"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let other = effect_scope::injects(action) && action.word(LabelRole::MessageRole) == Some(Role::System.word());
        let (true, Some(span)) = (other, action.place(LabelRole::MessageRole)) else { continue };
        let mut finding = LINT
            .finding(
                span,
                "a system message is injected in the middle of the conversation",
                "many providers reject system messages here",
            )
            .help("inject the message `as user`");
        finding.fixes.extend(remove_label(subject, span, "inject the message as the user", false));
        findings.push(finding);
    }
}
