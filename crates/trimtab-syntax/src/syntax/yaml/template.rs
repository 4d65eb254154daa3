//! Rules as templates of policy text.
//!
//! `@{…}` in a template contains the name of a parameter, or `rule`, with the words that belong to its value. The name is
//! replaced with the value; everything inside the braces gets the span of that value. Everything else gets one common span.

use std::ops::Range;

use trimtab_base::source::{Source, SourceId, Span, slice, starting_at};

use crate::syntax::parse;
use crate::syntax::spans;
use crate::syntax::tree::{Clause, Item, PolicyItem};

/// What comes before and after the clauses so that the text is a whole policy.
const HEAD: &str = "policy p { rule r {\n";
const TAIL: &str = "\n} }\n";

/// Parses the clauses of a template. `value` returns the text and the span of a parameter.
pub(super) fn clauses<'v>(template: &str, place: Span, value: impl Fn(&str) -> Option<(&'v str, Span)>) -> Vec<Clause> {
    let (text, values) = filled(template, value);
    let (file, _) = parse::parse(&Source::new(SourceId::default(), "template.trim", text));
    let policies = file.items.into_iter().filter_map(|item| match item {
        Item::Policy(policy) => Some(policy.items),
        _ => None,
    });
    let clauses = policies.flatten().filter_map(|item| match item {
        PolicyItem::Rule(rule) => Some(rule.clauses),
        _ => None,
    });
    let mut clauses: Vec<Clause> = clauses.flatten().collect();
    for clause in &mut clauses {
        spans::clause(clause, &mut |span| {
            let range = span.range();
            let inside = |(whole, _): &&(Range<usize>, Span)| whole.start <= range.start && range.end <= whole.end;
            *span = values.iter().find(inside).map_or(place, |(_, span)| *span);
        });
    }
    clauses
}

/// The text of a policy with these clauses, and the range and the span of each parameter in it.
fn filled<'v>(template: &str, value: impl Fn(&str) -> Option<(&'v str, Span)>) -> (String, Vec<(Range<usize>, Span)>) {
    let (mut text, mut values, mut at) = (HEAD.to_owned(), Vec::new(), 0);
    while let Some(start) = starting_at(template, at).find("@{").map(|start| at + start) {
        let end = starting_at(template, start).find('}').map_or(template.len(), |end| start + end);
        text += slice(template, at..start);
        let from = text.len();
        for (number, word) in slice(template, start + 2..end).split(' ').enumerate() {
            text += if number > 0 { " " } else { "" };
            match value(word) {
                Some((written, span)) => {
                    text += written;
                    values.push((from..usize::MAX, span));
                }
                None => text += word,
            }
        }
        if let Some((range, _)) = values.last_mut() {
            range.end = text.len();
        }
        at = end + 1;
    }
    text += starting_at(template, at);
    text += TAIL;
    (text, values)
}
