//! `empty-text`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::Item;

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_rule;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("empty-text", Severity::Error, include_str!("empty_text.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (_, rule) in subject.rules() {
        for action in rule.all_actions() {
            if action.text.as_ref().is_some_and(effect_scope::is_blank) {
                let message = format!("the text of `{}` is empty", action.effect.name);
                let mut finding = LINT.finding(action.span, message, "empty text");
                finding.fixes.extend(remove_rule(subject, rule));
                findings.push(finding.help("write the text, or remove the rule"));
            }
        }
    }
    for item in &subject.file.items {
        if let Item::Prompt(prompt) = item
            && prompt.text.value.trim().is_empty()
        {
            let message = format!("prompt `{}` is empty", prompt.name.node);
            findings.push(
                LINT.finding(prompt.text.span, message, "empty text").help("describe what a summary should contain"),
            );
        }
    }
}
