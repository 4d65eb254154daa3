//! `tiny-trim`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("tiny-trim", Severity::Warning, include_str!("tiny_trim.md")),
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    options: &[&CHARS, &TOKENS],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

static CHARS: LintOption = LintOption {
    name: "chars",
    unit: Unit::Chars,
    default: Decimal::from_parts(60, 0, 0, false, 0),
    summary: "The smallest accepted limit in characters.",
};

static TOKENS: LintOption = LintOption {
    name: "tokens",
    unit: Unit::Tokens,
    default: Decimal::from_parts(20, 0, 0, false, 0),
    summary: "The smallest accepted limit in tokens.",
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let Some(label) = action.label(LabelRole::ResultLimit) else { continue };
        let Some((limit, span)) = label.explicit() else { continue };
        let least = match limit.unit {
            Unit::Tokens => subject.option(&TOKENS),
            _ => subject.option(&CHARS),
        };
        if limit.amount < least {
            let least = Quantity::new(least, limit.unit);
            let message = format!("a trim to {limit} leaves almost nothing of a result");
            let mut finding = LINT.finding(span, message, format!("less than {least}"));
            let text = if limit.unit == Unit::Tokens { "100 tokens" } else { "400 chars" };
            let edit = TextEdit { span, text: format!("{} {text}", label.descriptor.name) };
            finding.fixes.push(fix(format!("leave {text}"), false, edit));
            findings.push(finding.help("leave more of it, or use `mask`"));
        }
    }
}
