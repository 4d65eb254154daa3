//! `long-injection`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Unit, grouped};
use trimtab_language::check::Rule;

use crate::lint::analysis::effect_scope;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("long-injection", Severity::Warning, include_str!("long_injection.md")),
    category: Category::Injection,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    options: &[&CHARS],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

static CHARS: LintOption = LintOption {
    name: "chars",
    unit: Unit::Chars,
    default: Decimal::from_parts(1_500, 0, 0, false, 0),
    summary: "The longest accepted message.",
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let most = subject.option(&CHARS);
    for action in rule.all_actions().filter(|action| effect_scope::injects(action)) {
        let length = action.text.as_ref().map_or(0, effect_scope::literal_chars);
        if Decimal::from(length) > most {
            let message = format!("this message is {} characters long", grouped(length.into()));
            let finding = LINT.finding(action.span, message, format!("more than {}", grouped(most)));
            findings.push(finding.help("shorten it to a few sentences, or move it to the system prompt"));
        }
    }
}
