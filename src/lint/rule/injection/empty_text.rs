//! `empty-text`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_rule;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::Item;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "empty-text",
        severity: Severity::Error,
        title: "a text that says nothing",
        why: "An empty message tells the model nothing, and many providers refuse a request that holds one. An \
              empty notice or reason tells the person nothing, and an empty prompt leaves the summariser without a \
              task.",
        wrong: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \" \" once per failures }\n}\n",
        right: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \"Think first.\" once per failures }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for (_, rule) in subject.rules() {
        for action in rule.all_actions() {
            if action.text.as_ref().is_some_and(effect_scope::is_blank) {
                let message = format!("`{}` says nothing", action.effect.name);
                let mut finding = LINT.finding(action.span, message, "the text is empty");
                finding.fixes.extend(remove_rule(subject, rule));
                found.push(finding.help("write the text, or take it out"));
            }
        }
    }
    for item in &subject.file.items {
        if let Item::Prompt(prompt) = item
            && prompt.text.value.trim().is_empty()
        {
            let message = format!("prompt `{}` says nothing", prompt.name.node);
            found.push(
                LINT.finding(prompt.text.span, message, "the text is empty").help("write what a summary should hold"),
            );
        }
    }
}
