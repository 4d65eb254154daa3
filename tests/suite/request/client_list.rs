//! What clients do with the list of a conversation: they ask something else about a part of it, or replace its beginning.

use trimtab::request::{Dialect, Request};

use super::written::Written;

/// A list with another message of the person.
pub(crate) fn with_message(dialect: Dialect, list: &[String], text: &str) -> Vec<String> {
    let element = match dialect {
        Dialect::OpenAiResponses => {
            format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#)
        }
        Dialect::Gemini => format!(r#"{{"role":"user","parts":[{{"text":"{text}"}}]}}"#),
        Dialect::OpenAiChat | Dialect::Anthropic => format!(r#"{{"role":"user","content":"{text}"}}"#),
        other => panic!("{other:?} has no writer"),
    };
    list.iter().cloned().chain([element]).collect()
}

/// The beginning of a list, up to the end of a message.
pub(crate) fn beginning(
    written: &Written,
    dialect: Dialect,
    list: &[String],
    index: proptest::sample::Index,
) -> Vec<String> {
    let json = written.list(list.iter().map(String::as_str));
    let request = Request::read(dialect, None, json).expect("a request");
    let is_end = |at: &usize| match (at.checked_sub(1), *at < list.len()) {
        (Some(before), true) => request.messages_of(before) != request.messages_of(*at),
        _ => true,
    };
    let ends: Vec<usize> = (0..=list.len()).filter(is_end).collect();
    list[..*index.get(&ends)].to_vec()
}

/// The list with a summary in place of its beginning.
pub(crate) fn compacted(
    written: &Written,
    dialect: Dialect,
    list: &[String],
    index: proptest::sample::Index,
    number: usize,
) -> Vec<String> {
    let rest = &list[beginning(written, dialect, list, index).len()..];
    let mut new = with_message(dialect, &[], &format!("The first {number} messages, in short."));
    new.extend_from_slice(rest);
    new
}
