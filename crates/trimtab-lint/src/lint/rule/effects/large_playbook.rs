//! `large-playbook`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::playbook::DEFAULT_SELECTION;
use trimtab_base::quantity::{Counted, Decimal, Unit};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "large-playbook",
        severity: Severity::Warning,
        title: "more strategies than a model follows",
        why: "Every request contains the selected strategies, so a long list costs tokens at each call, and the \
              useful strategies are hard to find among those that never helped. A playbook holds a thousand \
              strategies at most; `at_most` is the only limit on how many are sent.",
        wrong: "edition 2026\npolicy p {\n  rule learned { do playbook at_most 200 strategies }\n}\n",
        right: "edition 2026\npolicy p {\n  rule learned { do playbook at_most 30 strategies }\n}\n",
    },
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
