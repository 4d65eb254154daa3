//! Adds options to JSON.

use serde_json::Value as Json;
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, Span, line_end, line_start, slice, starting_at};

use super::literal;
use super::place::{Gap, inline, insertion, last, line_break, pair};
use crate::system::syntax::Syntax;

pub(super) fn candidates(source: &Source, gap: &Gap<'_>, value: &Json) -> Vec<Vec<TextEdit>> {
    let syntax = Syntax::Json;
    if let Some(empty) = &gap.empty {
        let (_, value) = gap.entry(value);
        return vec![vec![TextEdit { span: empty.value.span, text: literal::value(&value, syntax) }]];
    }
    let text = if let Some(element) = gap.element(value) {
        literal::value(&element, syntax)
    } else {
        let (name, value) = gap.entry(value);
        pair(&name, &value, syntax)
    };
    let own_line = last(&gap.parent).and_then(|last| on_own_line(source, gap.parent.span, last, &text));
    own_line.into_iter().chain([vec![inline(source, &gap.parent, &text)]]).collect()
}

/// An entry on a line of its own after the line of the last one, whose comment stays beside it.
fn on_own_line(source: &Source, parent: Span, last: Span, entry: &str) -> Option<Vec<TextEdit>> {
    let text = source.text();
    let start = line_start(text, last.start as usize);
    if start <= parent.start as usize {
        return None;
    }
    let indent: String = starting_at(text, start).chars().take_while(|char| matches!(char, ' ' | '\t')).collect();
    let value_end = last.end as usize;
    let end = line_end(text, value_end);
    let end = if slice(text, 0..end).ends_with('\r') { end - 1 } else { end };
    let rest = slice(text, value_end..end).trim();
    let has_comma = rest.starts_with(',');
    let comment = rest.trim_start_matches(',').trim();
    let is_comment =
        comment.starts_with("//") || comment.starts_with("/*") && comment.find("*/") == Some(comment.len() - 2);
    if !comment.is_empty() && !is_comment {
        return None;
    }
    let comma = if has_comma { "," } else { "" };
    let line = insertion(source, end, format!("{}{indent}{entry}{comma}", line_break(text)));
    let separator = (!has_comma).then(|| insertion(source, value_end, ",".to_owned()));
    Some(separator.into_iter().chain([line]).collect())
}
