//! `share-without-window`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::requirement::first_share;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "share-without-window",
        severity: Severity::Info,
        title: "shares of a window that the file does not name",
        why: "A share means something only when the window is known. Where neither the file nor the host nor the \
              recording says how large it is, a condition on a share is neither true nor false, and the rule is \
              never due.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"nearly full\" }\n}\n",
        right: "edition 2026\nagent { window 200k tokens }\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"nearly full\" }\n}\n",
    },
    category: Category::Units,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    pedantic: true,
    evidence: &["https://github.com/hotovo/aider-desk/pull/919"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    // Of a model that is not known `unknown-model` speaks.
    let agent = &subject.checked.agent;
    if agent.window.is_some() || agent.model.is_some() {
        return;
    }
    if let Some(span) = subject.rules().find_map(|(_, rule)| first_share(rule)) {
        let message = format!("`{}` is a share of a window that the file does not name", subject.text(span));
        let help = "name the `window` or the `model` in an `agent` block, unless whoever runs this always tells it";
        found.push(LINT.finding(span, message, "the first of the shares").help(help));
    }
}
