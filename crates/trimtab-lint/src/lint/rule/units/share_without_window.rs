//! `share-without-window`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::requirement::first_share;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("share-without-window", Severity::Info, include_str!("share_without_window.md")),
    category: Category::Units,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    pedantic: true,
    evidence: &["https://github.com/hotovo/aider-desk/pull/919"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // An unknown model is reported by `unknown-model`.
    let agent = &subject.checked.agent;
    if agent.window.is_some() || agent.model.is_some() {
        return;
    }
    if let Some(span) = subject.rules().find_map(|(_, rule)| first_share(rule)) {
        let message = format!("`{}` is a share of a window that the file does not name", subject.quote(span));
        let help = "add `window` or `model` to an `agent` block, unless the host always sets them";
        findings.push(LINT.finding(span, message, "the first share").help(help));
    }
}
