//! `undocumented-rule`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::placement::is_native_form;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "undocumented-rule",
        severity: Severity::Info,
        title: "a rule without documentation",
        why: "A condition and an effect say what a rule does, not why. A line that begins with `#:` above the rule \
              says it, to those who read the file and in `trimtab explain`.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  #: Well below the point where the provider refuses.\n  rule a { when context.ratio >= 60% do mask results }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    pedantic: true,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let text = subject.source.text();
    for (_, rule) in subject.rules().filter(|_| is_native_form(subject)) {
        let before = text.get(..rule.span.start as usize).unwrap_or_default();
        let mut above = before.lines().rev().skip_while(|line| line.trim().is_empty() && !before.ends_with(*line));
        let line = if before.ends_with('\n') { above.next() } else { above.nth(1) };
        if !line.is_some_and(|line| line.trim_start().starts_with("#:")) {
            let message = format!("rule `{}` is not documented", rule.name);
            let finding = LINT.finding(rule.head, message, "nothing says why it is there");
            found.push(finding.help("write a line `#: why` above it"));
        }
    }
}
