//! `disabled-without-reason`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::{Item, PolicyItem};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "disabled-without-reason",
        severity: Severity::Info,
        title: "rule disabled without a reason",
        why: "A disabled rule of the base no longer protects the policy. Without a reason, later readers \
              cannot tell whether it may be enabled again. `disable rule NAME \"why\"` records the reason, \
              and `trimtab inspect` shows it.",
        wrong: "edition 2026\npolicy base {\n  rule tell { when failures >= 2 do notify \"x\" }\n  rule warn { when context.ratio >= 80% do notify \"y\" }\n}\npolicy mine extends base {\n  disable rule tell\n}\n",
        right: "edition 2026\npolicy base {\n  rule tell { when failures >= 2 do notify \"x\" }\n  rule warn { when context.ratio >= 80% do notify \"y\" }\n}\npolicy mine extends base {\n  disable rule tell \"our tools fail often, and mean little by it\"\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let policies = subject.file.items.iter().filter_map(|item| match item {
        Item::Policy(policy) => Some(policy),
        _ => None,
    });
    for item in policies.flat_map(|policy| &policy.items) {
        let PolicyItem::Disable(one) = item else { continue };
        if one.why.as_ref().is_none_or(|why| why.value.trim().is_empty()) {
            let message = format!("`{}` is disabled without a reason", one.name.node);
            let help = format!("write `disable rule {} \"why\"`", one.name.node);
            findings.push(LINT.finding(one.span, message, "no reason given").help(help));
        }
    }
}
