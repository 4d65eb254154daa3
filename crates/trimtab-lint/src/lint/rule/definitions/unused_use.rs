//! `unused-use`

use std::collections::HashSet;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::Item;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unused-use",
        severity: Severity::Warning,
        title: "unused `use`",
        why: "No name of the other file is used in this policy. Its author may think that the other file's \
              rules apply here, but only a policy with `extends` inherits rules. Files without a policy \
              are not checked, because they may pass on what they use.",
        wrong: "edition 2026\nuse \"other.trim\"\nagent { window 200k tokens }\npolicy mine {\n  rule tell { when context.ratio >= 80% do notify \"nearly full\" once }\n}\n# other.trim:\nedition 2026\nlet full = 80%\n",
        right: "edition 2026\nuse \"other.trim\"\nagent { window 200k tokens }\npolicy mine {\n  rule tell { when context.ratio >= full do notify \"nearly full\" once }\n}\n# other.trim:\nedition 2026\nlet full = 80%\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.checked.policies.is_empty() || subject.checked.uses.is_empty() {
        return;
    }
    let has_agent = subject.file.items.iter().any(|item| matches!(item, Item::Agent(_)));
    let bases: HashSet<&str> = subject.checked.policies.iter().filter_map(|policy| policy.base.as_deref()).collect();
    let reads = |name: &SmolStr| !subject.names().uses(name).is_empty() || bases.contains(name.as_str());
    for import in &subject.checked.uses {
        // The agent block of a used file applies if this file has none.
        let counts = import.agent && !has_agent || import.names.iter().any(reads);
        if !counts {
            let message = "no name of this file is used";
            let finding = LINT.finding(import.span, message, "imports nothing that is used");
            let help = "remove it, or extend one of its policies";
            let remove = fix("remove it", false, removal(subject, import.span));
            findings.push(Diagnostic { fixes: vec![remove], ..finding.help(help) });
        }
    }
}
