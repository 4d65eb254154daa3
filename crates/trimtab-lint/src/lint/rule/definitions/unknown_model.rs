//! `unknown-model`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::requirement::first_share;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unknown-model", Severity::Warning, include_str!("unknown_model.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let agent = &subject.checked.agent;
    // A model from a profile of the project is not part of this file.
    let own = agent.model.as_ref().filter(|model| model.span.source == subject.source.id());
    let Some(named) = own.filter(|model| agent.window.is_none() && agent.models.find(&model.node).is_none()) else {
        return;
    };
    if !subject.rules().any(|(_, rule)| first_share(rule).is_some()) {
        return;
    }
    let message = format!("unknown model `{}`", named.node);
    let mut finding = LINT.finding(named.span, message, "its window and prices are unknown");
    let near = agent.models.nearest(&named.node);
    if let Some(near) = &near {
        let edit = TextEdit { span: named.span, text: format!("\"{near}\"") };
        finding.fixes.push(fix(format!("write `{near}`"), false, edit));
    }
    let help = near.map_or("add the size of its window: `window 200k tokens`".to_owned(), |near| {
        format!("did you mean `{near}`? for another model, add its window: `window 200k tokens`")
    });
    findings.push(finding.help(help));
}
