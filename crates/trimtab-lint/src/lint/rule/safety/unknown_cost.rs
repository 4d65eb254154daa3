//! `unknown-cost`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::fact::Unknown;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unknown-cost", Severity::Warning, include_str!("unknown_cost.md")),
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let agent = &subject.checked.agent;
    let Some(named) = &agent.model else { return };
    if agent.models.find(&named.node).is_some_and(|model| model.prices.is_some()) {
        return;
    }
    for (_, rule) in subject.rules() {
        for test in rule.tests() {
            if test.reading.fact.unknown == Some(Unknown::Price) {
                let message = format!(
                    "`{}` is never known, because the prices of `{}` are unknown",
                    test.reading.name(),
                    named.node
                );
                let mut finding = LINT.finding(test.span, message, "the cost is never known");
                // The model may also come from a profile of the project.
                let is_own = named.span.source == subject.source.id();
                if is_own {
                    finding = finding.label(named.span, "the prices of this model are unknown");
                }
                if let Some(near) = agent.models.nearest(&named.node).filter(|_| is_own) {
                    let edit = TextEdit { span: named.span, text: format!("\"{near}\"") };
                    finding.fixes.push(fix(format!("name the model `{near}`"), false, edit));
                }
                findings.push(finding.help("limit `budget.tokens` or `budget.calls` instead"));
            }
        }
    }
}
