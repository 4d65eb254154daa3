//! `window-above-model`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Quantity, Unit, grouped};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("window-above-model", Severity::Warning, include_str!("window_above_model.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let agent = &subject.checked.agent;
    let own = |span: trimtab_base::source::Span| span.source == subject.source.id();
    // Values from a profile of the project are not part of this file.
    let (Some(window), Some(named)) = (agent.window, &agent.model) else { return };
    let Some(model) = agent.models.find(&named.node).filter(|_| own(window.span)) else { return };
    let longest = model.long_window.unwrap_or(model.window).max(model.window);
    if window.node <= longest {
        return;
    }
    let message = format!("a window of `{}` is larger than that of `{}`", subject.quote(window.span), named.node);
    let mut finding = LINT
        .finding(window.span, message, format!("the model takes {} tokens", grouped(longest.into())))
        .help("remove the window, so that the window of the model counts, or name another model");
    if own(named.span) {
        finding = finding.label(named.span, "the model");
    }
    let text = Quantity::whole(longest, Unit::Tokens).to_string();
    finding.fixes.push(fix(format!("write `{text}`"), false, TextEdit { span: window.span, text }));
    findings.push(finding);
}
