//! Edits that several lints suggest.

use trimtab_base::diagnostic::{Diagnostic, Fix, TextEdit};
use trimtab_base::quantity::{Decimal, Quantity, Unit, share_of};
use trimtab_base::source::{Source, Span, Spanned, slice, starting_at, up_to};
use trimtab_language::check::{Action, Rule, Test};
use trimtab_language::effect::LabelRole;
use trimtab_language::fact::{FACTS, Fact, Topic};
use trimtab_syntax::syntax::tree::{Argument, Expr, ExprKind, Operator};

use crate::lint::analysis::threshold::Room;
use crate::lint::{Lint, Quote, Subject};

/// The edit that removes an item, rule or clause with its documentation and the rest of its lines.
pub(crate) fn removal(subject: &Subject<'_>, span: Span) -> TextEdit {
    let text = subject.source.text();
    let (start, end) = (span.start as usize, span.end as usize);
    let line = subject.source.line_around(start).start;
    let rest = subject.source.line_around(end).end;
    let alone = slice(text, line..start).trim().is_empty() && slice(text, end..rest).trim().is_empty();
    if !alone {
        // There is other text on the line: also remove the whitespace between the two.
        let before = up_to(text, start).trim_end_matches([' ', '\t']).len();
        return TextEdit { span: Span::new(span.source, before, end), text: String::new() };
    }
    let first = above(subject.source, line);
    let mut last = (rest + 1).min(text.len());
    let opens = up_to(text, first).trim_end_matches([' ', '\t']).ends_with("\n\n") || first == 0;
    if opens && starting_at(text, last).starts_with('\n') {
        last += 1;
    }
    TextEdit { span: Span::new(span.source, first, last), text: String::new() }
}

/// The span of an item or a rule with its documentation.
pub(crate) fn with_documentation(subject: &Subject<'_>, span: Span) -> Span {
    let text = subject.source.text();
    let line = subject.source.line_around(span.start as usize).start;
    let first = above(subject.source, line);
    if first == line {
        return span;
    }
    let written = starting_at(text, first);
    let indent = written.len() - written.trim_start().len();
    Span::new(span.source, first + indent, span.end as usize)
}

/// The start of the documentation above a line.
fn above(source: &Source, line: usize) -> usize {
    let mut first = line;
    while first > 0 {
        let before = source.line_around(first - 1).start;
        if !slice(source.text(), before..first).trim_start().starts_with("#:") {
            break;
        }
        first = before;
    }
    first
}

/// The edit that removes one of several parts of an `and` or `or`.
pub(crate) fn remove_part(parts: &[Expr], at: usize) -> Option<TextEdit> {
    let part = parts.get(at)?.span;
    let span = match (at.checked_sub(1).and_then(|before| parts.get(before)), parts.get(at + 1)) {
        (Some(before), _) => Span { start: before.span.end, ..part },
        (None, Some(next)) => Span { end: next.span.start, ..part },
        (None, None) => return None,
    };
    Some(TextEdit { span, text: String::new() })
}

/// A fix with one edit.
pub(crate) fn fix(title: impl Into<String>, safe: bool, edit: TextEdit) -> Fix {
    Fix::new(title, safe, vec![edit])
}

/// Returns the operator of a comparison in a rule, its constant, and the side that reads the fact, or `None` if the
/// rule is in another file.
pub(crate) fn comparison_parts<'t>(
    subject: &Subject<'t>,
    rule: &Rule,
    test: &Test,
) -> Option<(&'t Spanned<Operator>, &'t Expr, &'t Expr)> {
    subject.tree(rule)?;
    let (left, operator, right) = subject.comparison(test.span)?;
    let inside = |side: &Expr| side.span.start <= test.reading.span.start && test.reading.span.end <= side.span.end;
    if inside(left) { Some((operator, right, left)) } else { Some((operator, left, right)) }
}

/// The constant of a comparison as it is written, or the whole comparison if the rule is in another file.
pub(crate) fn quote_constant<'t>(subject: &Subject<'t>, rule: &Rule, test: &Test) -> Quote<'t> {
    subject.quote(comparison_parts(subject, rule, test).map_or(test.span, |(_, constant, _)| constant.span))
}

/// The fix that replaces the constant of a comparison.
pub(crate) fn replace_constant(subject: &Subject<'_>, rule: &Rule, test: &Test, constant: &str) -> Option<Fix> {
    let (_, old, _) = comparison_parts(subject, rule, test)?;
    let edit = TextEdit { span: old.span, text: constant.to_owned() };
    Some(fix(format!("write `{constant}`"), false, edit))
}

/// The fix that moves the threshold of a rule to a share of the window, whatever the fact measures: a test of the free
/// room gets what that share leaves free. Returns `None` if nothing is left, or if it depends on an unknown window.
pub(crate) fn move_threshold(subject: &Subject<'_>, rule: &Rule, test: &Test, share: Decimal) -> Option<Fix> {
    let constant =
        if test.reading.fact.is_inverse() { free_beside(subject, share)? } else { Quantity::new(share, Unit::Share) };
    replace_constant(subject, rule, test, &constant.to_string())
}

/// What a context of this share of the window leaves free beside the reserve.
fn free_beside(subject: &Subject<'_>, share: Decimal) -> Option<Quantity> {
    let Room { window, reserve } = subject.room();
    let free = match window {
        None if reserve == 0 => Quantity::new(Decimal::ONE.checked_sub(share)?, Unit::Share),
        None => return None,
        Some(window) => {
            let free = window.checked_sub(reserve)?.checked_sub(share_of(window, share))?;
            Quantity::whole(free, Unit::Tokens)
        }
    };
    (free.amount > Decimal::ZERO).then_some(free)
}

/// Returns the edit that changes the value of a label, or adds the label, or `None` if the effect has no label with
/// this role.
pub(crate) fn set_label(action: &Action, role: LabelRole, value: &str) -> Option<TextEdit> {
    let name = action.effect.label_for(role)?.name;
    Some(match action.place(role) {
        Some(span) => TextEdit { span, text: format!("{name} {value}") },
        None => TextEdit { span: action.span.after(), text: format!(" {name} {value}") },
    })
}

/// Returns the edit that adds a name to the list at the end of a place, or `None` if the list is not written there.
pub(crate) fn add_to_list(subject: &Subject<'_>, place: Span, name: &str) -> Option<TextEdit> {
    let list = subject.text(place).strip_suffix(']')?.trim_end();
    let separator = if list.ends_with(['[', ',']) { "" } else { ", " };
    let end = place.start as usize + list.len();
    Some(TextEdit { span: Span::new(place.source, end, end), text: format!("{separator}{name}") })
}

/// The fix that replaces `reported.*` by `context.*` in a comparison and removes the default value and its parentheses.
pub(crate) fn read_from_context(subject: &Subject<'_>, rule: &Rule, test: &Test) -> Option<Fix> {
    let (_, _, side) = comparison_parts(subject, rule, test)?;
    let is_live =
        |fact: &&&Fact| fact.topic == Topic::ContextSize && fact.ty == test.reading.fact.ty && !fact.is_inverse();
    let fact = FACTS.iter().find(is_live)?.name;
    let text = subject.source.text();
    let range = side.span.range();
    let (before, after) = (text.get(..range.start)?.trim_end(), text.get(range.end..)?.trim_start());
    let enclosed = before.ends_with('(') && after.starts_with(')');
    let (start, end) =
        if enclosed { (before.len() - 1, text.len() - after.len() + 1) } else { (range.start, range.end) };
    let span = Span::new(side.span.source, start, end);
    let edit = TextEdit { span, text: fact.to_owned() };
    Some(fix(format!("read `{fact}`"), false, edit))
}

/// A finding at an expression that can be replaced by a text, with the fix.
pub(crate) fn rewritten(lint: &'static Lint, expr: &Expr, message: String, text: &str) -> Diagnostic {
    let mut finding = lint.finding(expr.span, message, format!("the same as `{text}`"));
    let edit = TextEdit { span: expr.span, text: text.to_owned() };
    finding.fixes.push(fix(format!("write `{text}`"), true, edit));
    finding
}

/// The edit that sets a named argument of a fact, or adds it after the others.
pub(crate) fn set_argument(fact: &Expr, name: &str, value: &str) -> Option<TextEdit> {
    match &fact.kind {
        ExprKind::Default(inner, _) => set_argument(inner, name, value),
        ExprKind::Name(_) => Some(TextEdit { span: fact.span.after(), text: format!("({name}: {value})") }),
        ExprKind::Call(_, arguments) => {
            let is_named = |argument: &&Argument| argument.name.as_ref().is_some_and(|word| word.node == name);
            if let Some(argument) = arguments.iter().find(is_named) {
                return Some(TextEdit { span: argument.value.span, text: value.to_owned() });
            }
            let last = arguments.last()?.value.span;
            Some(TextEdit { span: last.after(), text: format!(", {name}: {value}") })
        }
        _ => None,
    }
}
