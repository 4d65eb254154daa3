//! `disabled-without-reason`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::{Item, PolicyItem};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "disabled-without-reason",
        severity: Severity::Info,
        title: "a rule is disabled and nobody says why",
        why: "A rule of the base is gone, and with it what it protected against. Who reads the policy later cannot \
              tell whether the reason still stands, and leaves it so. `disable rule NAME \"why\"` holds the \
              reason, and `trimtab inspect` shows it.",
        wrong: "edition 2026\npolicy base {\n  rule tell { when failures >= 2 do notify \"x\" }\n  rule warn { when context.ratio >= 80% do notify \"y\" }\n}\npolicy mine extends base {\n  disable rule tell\n}\n",
        right: "edition 2026\npolicy base {\n  rule tell { when failures >= 2 do notify \"x\" }\n  rule warn { when context.ratio >= 80% do notify \"y\" }\n}\npolicy mine extends base {\n  disable rule tell \"our tools fail often, and mean little by it\"\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let policies = subject.file.items.iter().filter_map(|item| match item {
        Item::Policy(policy) => Some(policy),
        _ => None,
    });
    for item in policies.flat_map(|policy| &policy.items) {
        let PolicyItem::Disable(one) = item else { continue };
        if one.why.as_ref().is_none_or(|why| why.value.trim().is_empty()) {
            let message = format!("nobody says why `{}` is disabled", one.name.node);
            let help = format!("`disable rule {} \"why\"`", one.name.node);
            found.push(LINT.finding(one.span, message, "no reason stands here").help(help));
        }
    }
}
