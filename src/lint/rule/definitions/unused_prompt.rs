//! `unused-prompt`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::used_name::Place;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::Item;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unused-prompt",
        severity: Severity::Warning,
        title: "a prompt that no effect uses",
        why: "Summaries are made with the built-in prompt while the one that was written for them stands idle. \
              A file without a policy is taken for one that others use, and is left alone.",
        wrong: "edition 2026\nprompt handover \"Sum up what was done.\"\npolicy p {\n  rule a { when context.ratio >= 80% do summarise older at_most 2k tokens on_failure keep cooldown 3 }\n}\n",
        right: "edition 2026\nprompt handover \"Sum up what was done.\"\npolicy p {\n  rule a { when context.ratio >= 80% do summarise older using handover at_most 2k tokens on_failure keep cooldown 3 }\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if subject.checked.policies.is_empty() {
        return;
    }
    for item in &subject.file.items {
        let Item::Prompt(one) = item else { continue };
        if subject.names().uses(&one.name.node).iter().all(|one| one.place != Place::Run) {
            let message = format!("prompt `{}` is never used in this file", one.name.node);
            let mut finding = LINT.finding(one.name.span, message, "no effect says `using` this");
            finding.fixes.push(fix("take it out", false, removal(subject, one.span)));
            found.push(finding);
        }
    }
}
