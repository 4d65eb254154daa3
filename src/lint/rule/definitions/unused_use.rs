//! `unused-use`

use std::collections::HashSet;

use smol_str::SmolStr;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::Item;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unused-use",
        severity: Severity::Warning,
        title: "a file is used, and none of its names",
        why: "Nothing of the other file reaches this policy. Its author may believe that its rules count here; \
              only a policy with `extends` takes rules over. A file without a policy of its own is left alone, \
              since it hands on what it uses.",
        wrong: "edition 2026\nuse \"other.trim\"\nagent { window 200k tokens }\npolicy mine {\n  rule tell { when context.ratio >= 80% do notify \"nearly full\" once }\n}\n# other.trim:\nedition 2026\nlet full = 80%\n",
        right: "edition 2026\nuse \"other.trim\"\nagent { window 200k tokens }\npolicy mine {\n  rule tell { when context.ratio >= full do notify \"nearly full\" once }\n}\n# other.trim:\nedition 2026\nlet full = 80%\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if subject.checked.policies.is_empty() || subject.checked.uses.is_empty() {
        return;
    }
    let has_agent = subject.file.items.iter().any(|item| matches!(item, Item::Agent(_)));
    let bases: HashSet<&str> = subject.checked.policies.iter().filter_map(|policy| policy.base.as_deref()).collect();
    let reads = |name: &SmolStr| !subject.names().uses(name).is_empty() || bases.contains(name.as_str());
    for one in &subject.checked.uses {
        // The agent block of a used file counts where there is none of its own.
        let counts = one.agent && !has_agent || one.names.iter().any(reads);
        if !counts {
            let message = "none of the names of this file is used";
            let finding = LINT.finding(one.span, message, "this brings in nothing that counts");
            let help = "take it out, or let a policy extend one of its policies";
            let remove = fix("take it out", false, removal(subject, one.span));
            found.push(Diagnostic { fixes: vec![remove], ..finding.help(help) });
        }
    }
}
