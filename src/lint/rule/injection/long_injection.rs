//! `long-injection`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::effect_scope;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};
use crate::quantity::{Decimal, Unit};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "long-injection",
        severity: Severity::Warning,
        title: "a long message",
        why: "The message is sent again at every later call and pushes the work out of view. What has to be said \
              at length belongs into the system prompt, where the cache holds it.",
        wrong: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \"Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on. Say what went wrong and why, before you go on.\" once per failures }\n}\n",
        right: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \"Say what went wrong and why, before you go on.\" once per failures }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    options: &[LintOption {
        name: "chars",
        unit: Unit::Chars,
        default: Decimal::from_parts(1_500, 0, 0, false, 0),
        summary: "The longest message that is let pass.",
    }],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let most = subject.settings.option(&LINT, "chars");
    for action in rule.all_actions().filter(|action| effect_scope::injects(action)) {
        let length = action.text.as_ref().map_or(0, effect_scope::literal_chars);
        if Decimal::from(length) > most {
            let message = format!("this message is {length} characters long");
            let finding = LINT.finding(action.span, message, format!("more than {most}"));
            found.push(finding.help("say it in a few sentences, or say it in the system prompt"));
        }
    }
}
