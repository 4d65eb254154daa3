//! Removes a fact from a text with facts in braces.

use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::Span;

use crate::lint::Subject;

/// Returns the edit that removes a fact with its braces and the words that need it, or `None` if the remaining text
/// would not read well.
pub(crate) fn remove_from_template(subject: &Subject<'_>, fact: Span) -> Option<TextEdit> {
    let span = phrase(subject, braces(subject, fact)?)?;
    Some(TextEdit { span, text: String::new() })
}

/// The braces around a fact in a text.
fn braces(subject: &Subject<'_>, inside: Span) -> Option<Span> {
    let text = subject.source.text();
    let start = text.get(..inside.start as usize)?.trim_end();
    let after = text.get(inside.end as usize..)?;
    let end = text.len() - after.trim_start().len();
    let enclosed = start.ends_with('{') && text.get(end..)?.starts_with('}');
    enclosed.then(|| Span::new(inside.source, start.len() - 1, end + 1))
}

/// Words that need the value after them.
const LEADING: &[&str] = &["after", "at", "before", "by", "for", "from", "in", "of", "on", "since", "until", "with"];

/// Returns a fact in braces with the preposition, comma or parentheses that belong to it, or `None` if the remaining
/// text would not read well.
fn phrase(subject: &Subject<'_>, braces: Span) -> Option<Span> {
    let text = subject.source.text();
    let (before, mut after) = (text.get(..braces.start as usize)?, text.get(braces.end as usize..)?);
    let word = before.trim_end().rsplit(|operator: char| !operator.is_alphanumeric()).next().unwrap_or_default();
    let mut left = before.trim_end();
    let is_led = LEADING.contains(&word);
    if is_led {
        left = left.strip_suffix(word)?.trim_end();
    }
    let is_apart = match left.strip_suffix('(').zip(after.strip_prefix(')')) {
        Some((outer, rest)) => {
            (left, after) = (outer, rest);
            true
        }
        None => left.ends_with([',', ';']),
    };
    let left = left.trim_end_matches([' ', ',', ';']);
    let reads_well = left.ends_with(|operator: char| operator.is_alphanumeric() || operator == '}')
        && after.starts_with(['"', ']', ')', ',', ';', '.']);
    let end = text.len() - after.len();
    (reads_well && (is_led || is_apart)).then(|| Span::new(braces.source, left.len(), end))
}
