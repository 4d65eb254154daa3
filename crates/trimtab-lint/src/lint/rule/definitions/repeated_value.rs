//! `repeated-value`

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_syntax::syntax::tree::{ExprKind, Item, Let, Number};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("repeated-value", Severity::Info, include_str!("repeated_value.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<(&Number, Option<&str>), &Let> = HashMap::new();
    for item in &subject.file.items {
        let Item::Let(one) = item else { continue };
        let ExprKind::Number(number, unit) = &one.value.kind else { continue };
        let unit = unit.as_ref().map(|unit| unit.node.trim_end_matches('s'));
        match seen.entry((number, unit)) {
            Entry::Occupied(first) => findings.push(finding(subject, first.get(), one)),
            Entry::Vacant(place) => drop(place.insert(one)),
        }
    }
}

fn finding(subject: &Subject<'_>, first: &Let, item: &Let) -> Diagnostic {
    let name = &first.name.node;
    let message = format!("`{}` and `{name}` have the same value, {}", item.name.node, subject.text(item.value.span));
    let mut finding = LINT.finding(item.value.span, message, "the same value").label(first.value.span, "defined here");
    let edit = TextEdit { span: item.value.span, text: name.to_string() };
    finding.fixes.push(fix(format!("use `{name}` as the value"), true, edit));
    finding
}
