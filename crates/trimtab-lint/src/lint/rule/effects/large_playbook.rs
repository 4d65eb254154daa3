//! `large-playbook`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::playbook::DEFAULT_SELECTION;
use trimtab_base::quantity::{Counted, Decimal, Unit};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("large-playbook", Severity::Warning, include_str!("large_playbook.md")),
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    options: &[&STRATEGIES],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

static STRATEGIES: LintOption = LintOption {
    name: "strategies",
    unit: Unit::Counted(Counted::Strategies),
    default: Decimal::from_parts(50, 0, 0, false, 0),
    summary: "The largest accepted number of strategies in a request.",
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for label in rule.all_actions().filter_map(|action| action.label(LabelRole::StrategyLimit)) {
        let Some((limit, span)) = label.explicit() else { continue };
        let most = subject.option(&STRATEGIES);
        if limit.amount <= most {
            continue;
        }
        let message = format!("each request contains up to {limit}");
        let mut finding = LINT.finding(span, message, format!("more than {most}"));
        let text = format!("{} {DEFAULT_SELECTION} strategies", label.descriptor.name);
        finding.fixes.push(fix(format!("write `{text}`"), false, TextEdit { span, text }));
        findings.push(finding.help("send fewer strategies; the most effective ones are selected"));
    }
}
