//! Fixes that add, move or remove clauses, rules and items.

use trimtab_base::diagnostic::{Fix, TextEdit};
use trimtab_base::source::{Span, line_start, slice};
use trimtab_language::check::{Policy, Rule};
use trimtab_syntax::syntax::tree::{Item, PolicyItem};

use crate::lint::Subject;
use crate::lint::analysis::edit::{fix, removal, with_documentation};

/// Returns the indentation before an offset, or `None` if its line has other text before it.
fn indent<'a>(subject: &Subject<'a>, at: u32) -> Option<&'a str> {
    let line = subject.source.text().get(subject.source.line_around(at as usize).start..at as usize)?;
    line.trim().is_empty().then_some(line)
}

/// The edit that adds a clause after the last one of a rule.
pub(crate) fn new_clause(subject: &Subject<'_>, rule: &Rule, text: &str) -> Option<TextEdit> {
    let (_, last) = rule.clauses.iter().max_by_key(|(_, span)| span.end)?;
    Some(clause_after(subject, *last, text))
}

/// The edit that adds a clause after another, on a line of its own if the other starts its line.
pub(crate) fn clause_after(subject: &Subject<'_>, other: Span, text: &str) -> TextEdit {
    let Some(indent) = indent(subject, other.start) else {
        return TextEdit { span: after(other), text: format!(" {text}") };
    };
    // A comment after the other clause stays on its line.
    let end = other.end as usize;
    let rest = subject.source.text().get(end..subject.source.line_around(end).end).unwrap_or_default();
    let comment = Some(rest).filter(|rest| rest.trim_start().starts_with('#'));
    let comment = comment.and_then(|rest| rest.split('\r').next()).unwrap_or_default();
    let end = other.end + u32::try_from(comment.len()).unwrap_or(0);
    TextEdit { span: Span { start: end, end, ..other }, text: format!("\n{indent}{text}") }
}

/// The empty span after another.
pub(crate) fn after(span: Span) -> Span {
    Span { start: span.end, ..span }
}

/// A rule that a fix adds.
pub(crate) struct NewRule {
    /// The title of the fix.
    pub title: &'static str,
    /// The name of the rule.
    pub name: &'static str,
    /// Its documentation.
    pub why: &'static str,
    /// Its clauses in order.
    pub clauses: &'static [&'static str],
}

/// Returns the fix that adds a rule at the end of a policy, or `None` if the policy has a rule of this name or no
/// braces.
pub(crate) fn add_rule(subject: &Subject<'_>, policy: &Policy, rule: &NewRule) -> Option<Fix> {
    let NewRule { title, name, why, clauses } = rule;
    if policy.rules.iter().any(|rule| rule.name == *name) {
        return None;
    }
    let brace = policy.span.end.checked_sub(1).filter(|_| subject.text(policy.span).ends_with('}'))?;
    let (at, text) = match indent(subject, brace) {
        Some(line) => {
            let clauses: String = clauses.iter().map(|clause| format!("{line}    {clause}\n")).collect();
            let text = format!("\n{line}  #: {why}\n{line}  rule {name} {{\n{clauses}{line}  }}\n");
            (brace - u32::try_from(line.len()).ok()?, text)
        }
        None => (brace, format!("rule {name} {{ {} }} ", clauses.join(" "))),
    };
    Some(fix(*title, false, TextEdit { span: Span { start: at, end: at, ..policy.span }, text }))
}

/// The fix that removes a label and the whitespace before it.
pub(crate) fn remove_label(subject: &Subject<'_>, span: Span, title: impl Into<String>, safe: bool) -> Option<Fix> {
    let before = subject.source.text().get(..span.start as usize)?;
    let start = u32::try_from(before.trim_end().len()).ok()?;
    let span = Span { start, ..span };
    Some(fix(title, safe, TextEdit { span, text: String::new() }))
}

/// Returns the fix that removes a rule, or `None` if the rule has other actions.
pub(crate) fn remove_rule(subject: &Subject<'_>, rule: &Rule) -> Option<Fix> {
    let only = rule.actions.len() == 1;
    only.then(|| fix(format!("remove rule `{}`", rule.name), false, removal(subject, rule.span)))
}

/// The fix that moves a rule before or after another of the same policy.
pub(crate) fn moved(subject: &Subject<'_>, rule: &Rule, other: &Rule, before: bool) -> Option<Fix> {
    let (indent, _) = (indent(subject, rule.span.start)?, indent(subject, other.span.start)?);
    let text = subject.text(with_documentation(subject, rule.span));
    let (at, text) = if before {
        let other = with_documentation(subject, other.span);
        let at = Span { end: other.start, ..other };
        (at, format!("{text}\n\n{indent}"))
    } else {
        (after(other.span), format!("\n\n{indent}{text}"))
    };
    let place = if before { "before" } else { "after" };
    let title = format!("move `{}` {place} `{}`", rule.name, other.name);
    Some(Fix::new(title, false, vec![removal(subject, rule.span), TextEdit { span: at, text }]))
}

/// The empty span before the first policy, prompt or test and its documentation, where a `let` can be inserted.
pub(crate) fn let_position(subject: &Subject<'_>) -> Option<Span> {
    let first = subject.file.items.iter().find_map(|item| match item {
        Item::Policy(one) => Some(one.span),
        Item::Prompt(one) => Some(one.span),
        Item::Test(one) => Some(one.span),
        _ => None,
    })?;
    indent(subject, first.start).filter(|indent| indent.is_empty())?;
    let text = subject.source.text();
    let mut start = first.start as usize;
    while start > 0 {
        let line = line_start(text, start - 1);
        if !slice(text, line..start).starts_with("#:") {
            break;
        }
        start = line;
    }
    Some(Span::new(first.source, start, start))
}

/// The names that a file defines, of every kind.
pub(crate) fn defined_names<'a>(subject: &Subject<'a>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for item in &subject.file.items {
        match item {
            Item::Let(one) => names.push(one.name.node.as_str()),
            Item::Prompt(one) => names.push(one.name.node.as_str()),
            Item::Policy(policy) => {
                names.push(policy.name.node.as_str());
                names.extend(policy.items.iter().filter_map(|item| match item {
                    PolicyItem::Rule(rule) => Some(rule.name.node.as_str()),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    names
}

/// The edit that appends an item to the file.
pub(crate) fn appended(subject: &Subject<'_>, item: &str) -> TextEdit {
    let before = if subject.source.text().ends_with('\n') { "" } else { "\n" };
    TextEdit { span: subject.source.span().after(), text: format!("{before}{item}") }
}
