//! `unless-not`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::{Clause, ClauseKind, Expr, ExprKind};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unless-not",
        severity: Severity::Info,
        title: "a condition that is turned round twice",
        why: "`unless not X` is `when X`, and `when not (X and Y)` is `unless X and Y`: one word less to turn over \
              in the head.",
        wrong: "edition 2026\npolicy p {\n  rule a { unless not has_tool(\"bash\") do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when has_tool(\"bash\") do notify \"x\" }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    supersedes: &["double-negation"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let Some(tree) = subject.tree(rule).filter(|_| !rule.latches()) else { return };
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
            found.push(turned(subject, clause, condition, inner, is_alone.then_some(word)));
        }
    }
}

fn turned(subject: &Subject<'_>, clause: &Clause, condition: &Expr, inner: &Expr, word: Option<&str>) -> Diagnostic {
    let said = subject.text(clause.word);
    let is_compound = matches!(inner.kind, ExprKind::And(_) | ExprKind::Or(_));
    let message = format!("`{said} not` turns the condition round twice");
    let finding = LINT.finding(condition.span, message, "can be said straight");
    let Some(word) = word else { return finding.help("join it to `when` with `and`") };
    let mut finding = finding.help(format!("say it with `{word}`"));
    let inner = subject.text(inner.span);
    let bare = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let text = format!("{word} {}", bare.filter(|_| is_compound).unwrap_or(inner).trim());
    if !subject.holds_comment(clause.span) {
        finding.fixes.push(fix(format!("write `{word}`"), true, TextEdit { span: clause.span, text }));
    }
    finding
}
