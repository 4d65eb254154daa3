//! `no-strategies`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-strategies", Severity::Error, include_str!("no_strategies.md")),
    category: Category::Effects,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for label in rule.all_actions().filter_map(|action| action.label(LabelRole::StrategyLimit)) {
        let Some((limit, span)) = label.explicit().filter(|(limit, _)| limit.to_u64() == 0) else { continue };
        let name = label.descriptor.name;
        let mut finding = LINT
            .finding(span, format!("`{name} {limit}` selects nothing"), "the rule never fires")
            .help(format!("remove `{name}`, or select at least one strategy"));
        finding.fixes.extend(remove_label(subject, span, format!("remove `{name}`"), false));
        findings.push(finding);
    }
}
