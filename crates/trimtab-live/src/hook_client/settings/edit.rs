//! Changes of a list in JSON with comments. What is not changed keeps its bytes.

use std::ops::Range;

use serde::Serialize as _;
use serde_json::Value as Json;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::tree::Node;

/// The text with another one at a place.
pub(super) fn replaced(text: &str, span: &Range<usize>, new: &str) -> String {
    let mut changed = text.to_owned();
    changed.replace_range(span.clone(), new);
    changed
}

/// The text with a value at the end of an object or an array, on lines of its own.
pub(super) fn appended(text: &str, container: &Node, key: Option<&str>, value: &Json) -> String {
    let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let base = indentation(text, container.span.start);
    let unit = unit(text);
    let key = key.map_or_else(String::new, |key| format!("{}: ", Json::from(key)));
    let inner = format!("{end_of_line}{base}{unit}");
    let value = format!("{inner}{key}{}", pretty(value, &unit).replace('\n', &inner));
    let closing = container.span.end - 1;
    let at = end_of_content(text, container);
    let mut changed = text.to_owned();
    let is_on_own_line = text.get(at..closing).is_some_and(|space| space.contains('\n'));
    changed.insert_str(at, &if is_on_own_line { value } else { format!("{value}{end_of_line}{base}") });
    if let Some(last) = container.children.last()
        && comma(text, last.span.end..closing).is_none()
    {
        changed.insert(last.span.end, ',');
    }
    changed
}

/// The text without a field or an element.
pub(super) fn removed(text: &str, container: &Node, index: usize) -> String {
    let span = &container.children[index].span;
    let closing = container.span.end - 1;
    let until = container.children.get(index + 1).map_or(closing, |next| next.span.start);
    let from = index.checked_sub(1).map_or(container.span.start + 1, |before| container.children[before].span.end);
    let mut changed = text.to_owned();
    let comma_after = comma(text, span.end..until);
    if let Some(comma) = comma_after {
        changed.replace_range(comma..=comma, "");
    }
    changed.replace_range(start_with_space(text, from, span.start)..span.end, "");
    // Without a comma after it, the one before it would be the last character.
    if comma_after.is_none()
        && let Some(comma) = comma(text, from..span.start).filter(|_| index > 0)
    {
        changed.replace_range(comma..=comma, "");
    }
    changed
}

/// Whether a container has one child and no comment.
pub(super) fn is_only(text: &str, container: &Node) -> bool {
    let [child] = container.children.as_slice() else { return false };
    let before = text.get(container.span.start + 1..child.span.start);
    let after = text.get(child.span.end..container.span.end - 1);
    [before, after].into_iter().flatten().all(|space| space.trim_matches([' ', '\t', '\r', '\n', ',']).is_empty())
}

/// Where the last child or comment of a container ends.
fn end_of_content(text: &str, container: &Node) -> usize {
    let closing = container.span.end - 1;
    start_with_space(text, container.span.start + 1, closing)
}

/// Where the white space before an offset begins, at `from` at the earliest.
fn start_with_space(text: &str, from: usize, offset: usize) -> usize {
    from + text.get(from..offset).map_or(0, |before| before.trim_end().len())
}

/// The first comma in a range of white space and comments.
fn comma(text: &str, range: Range<usize>) -> Option<usize> {
    let (bytes, mut at) = (text.as_bytes(), range.start);
    while at < range.end {
        let rest = text.get(at..range.end)?;
        if bytes[at] == b',' {
            return Some(at);
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            at += 1;
        }
    }
    None
}

/// The white space at the beginning of the line of an offset.
fn indentation(text: &str, offset: usize) -> String {
    let line = text.get(..offset).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// The white space of one level: that of the first indented line.
fn unit(text: &str) -> String {
    let is_space = |c: &char| matches!(c, ' ' | '\t');
    let indented = text.lines().map(|line| line.chars().take_while(is_space).collect::<String>());
    let first =
        text.lines().zip(indented).find(|(line, space)| !space.is_empty() && line.trim_start().starts_with('"'));
    first.map_or_else(|| "  ".to_owned(), |(_, space)| space)
}

/// A value over several lines.
fn pretty(value: &Json, unit: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    written.ok().and_then(|()| String::from_utf8(bytes).ok()).unwrap_or_else(|| value.to_string())
}
