//! `redundant-parentheses`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::source::{Span, up_to};
use trimtab_language::check::Rule;
use trimtab_language::fact::Scope;
use trimtab_syntax::syntax::tree::ClauseKind;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("redundant-parentheses", Severity::Info, include_str!("redundant_parentheses.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (_, rule) in subject.rules() {
        check_rule(subject, rule, findings);
    }
}

fn check_rule(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() {
        return;
    }
    let Some(tree) = subject.tree(rule) else { return };
    for clause in &tree.clauses {
        if let ClauseKind::When(_) | ClauseKind::Unless(_) | ClauseKind::Until(_) = &clause.kind {
            let span = Span { start: clause.word.end, ..clause.span };
            if matches!(clause.kind, ClauseKind::Until(_))
                && clause.scope.is_none()
                && ends_like_scope(subject.text(span))
            {
                continue;
            }
            findings.extend(idle(subject.text(span)).into_iter().map(|pair| finding(subject, span, pair)));
        }
    }
}

/// Whether a condition would end with a scope without its parentheses.
fn ends_like_scope(condition: &str) -> bool {
    let words = condition.trim_end_matches(|c: char| c == ')' || c.is_whitespace());
    let before = words.strip_suffix(Scope::Session.word()).map(str::trim_end);
    before.is_some_and(|before| before.ends_with(" in"))
}

/// The parts of a condition that matter for parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    /// `and` or `or`.
    Joint,
    /// The start of a comment, which ends the search.
    Comment,
    Other,
}

/// The tokens of a condition with their places; texts in quotes are skipped.
fn tokens(text: &str) -> Vec<(Token, usize)> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
        let (token, length) = match c {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '#' => (Token::Comment, 1),
            '"' => (Token::Other, string(rest)),
            _ if word > 0 && matches!(up_to(rest, word), "and" | "or") => (Token::Joint, word),
            _ if word > 0 => (Token::Other, word),
            _ => (Token::Other, c.len_utf8()),
        };
        if !c.is_whitespace() {
            tokens.push((token, at));
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

/// The length of the quoted text at the start.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

/// The pairs of parentheses that group nothing.
fn idle(text: &str) -> Vec<(usize, usize)> {
    let tokens = tokens(text);
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut pairs = Vec::new();
    for (index, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Comment => return Vec::new(),
            Token::Open => open.push((index, false)),
            Token::Joint => {
                if let Some((_, joins)) = open.last_mut() {
                    *joins = true;
                }
            }
            Token::Close => {
                let Some((start, joins)) = open.pop() else { return Vec::new() };
                let before = start.checked_sub(1).map(|at| tokens[at].0);
                let after = tokens.get(index + 1).map(|(token, _)| *token);
                let whole = before.is_none() && after.is_none();
                let edge = |token: Option<Token>| token.is_none_or(|token| token == Token::Joint);
                if whole || edge(before) && edge(after) && !joins {
                    pairs.push((tokens[start].1, tokens[index].1));
                }
            }
            Token::Other => {}
        }
    }
    pairs
}

fn finding(subject: &Subject<'_>, condition: Span, (open, close): (usize, usize)) -> Diagnostic {
    let start = condition.start as usize;
    let span = Span::new(condition.source, start + open, start + close + 1);
    let text = subject.text(span);
    let inner = text.get(1..text.len() - 1).unwrap_or_default().trim();
    let mut finding = LINT.finding(span, "redundant parentheses", "group nothing");
    let before = subject.source.text().get(..span.start as usize).unwrap_or_default();
    let gap = if before.ends_with([' ', '\n', '\t', '(']) { "" } else { " " };
    let after = subject.source.text().get(span.end as usize..).unwrap_or_default();
    let end = if after.starts_with([' ', '\n', '\t', '\r', ')', '}']) || after.is_empty() { "" } else { " " };
    let edit = TextEdit { span, text: format!("{gap}{inner}{end}") };
    finding.fixes.push(fix("remove them", true, edit));
    finding
}
