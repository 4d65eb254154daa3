//! `unless-not`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::Rule;
use trimtab_syntax::syntax::tree::{Clause, ClauseKind, Expr, ExprKind};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unless-not", Severity::Info, include_str!("unless_not.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    supersedes: &["double-negation"],
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (_, rule) in subject.rules() {
        check_rule(subject, rule, findings);
    }
}

fn check_rule(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(tree) = subject.tree(rule).filter(|_| !rule.remembers_condition()) else { return };
    let (when, unless) = (rule.clause("when"), rule.clause("unless"));
    for clause in &tree.clauses {
        let (condition, word, is_alone) = match &clause.kind {
            ClauseKind::Unless(condition) => (condition, "when", when.is_none()),
            ClauseKind::When(condition) => (condition, "unless", unless.is_none()),
            _ => continue,
        };
        let ExprKind::Not(inner) = &condition.kind else { continue };
        let compound = matches!(inner.kind, ExprKind::And(_) | ExprKind::Or(_));
        if word == "when" || compound && is_alone {
            findings.push(turned(subject, clause, condition, inner, is_alone.then_some(word)));
        }
    }
}

fn turned(subject: &Subject<'_>, clause: &Clause, condition: &Expr, inner: &Expr, word: Option<&str>) -> Diagnostic {
    let keyword = subject.text(clause.word);
    let is_compound = matches!(inner.kind, ExprKind::And(_) | ExprKind::Or(_));
    let message = format!("`{keyword} not` negates the condition twice");
    let finding = LINT.finding(condition.span, message, "can be written without `not`");
    let Some(word) = word else { return finding.help("add the condition to `when` with `and`") };
    let mut finding = finding.help(format!("write it with `{word}`"));
    let inner = subject.text(inner.span);
    let bare = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let text = format!("{word} {}", bare.filter(|_| is_compound).unwrap_or(inner).trim());
    finding.fixes.push(fix(format!("write `{word}`"), true, TextEdit { span: clause.span, text }));
    finding
}
