//! Redaction of lists whose texts belong together: parts of a result, and the arguments of a command.

use std::ops::Range;

use serde_json::Value as Json;

use super::json_text::is_secret_option;
use super::place::ValueRole;
use super::value::may_be_argument;
use super::{Redactor, is_json, secret};

impl Redactor {
    /// Redacts a list. A secret may begin in one text and end in the next.
    pub(super) fn list(&mut self, items: &mut [Json], place: ValueRole) {
        let mut rest = items;
        while !rest.is_empty() {
            let count = rest.iter_mut().map_while(text_of).count();
            let (texts, others) = rest.split_at_mut(count);
            self.texts(texts, place);
            let (other, after) = others.split_at_mut(others.len().min(1));
            for item in other {
                self.value(item, place);
            }
            rest = after;
        }
    }

    /// Redacts texts in a row.
    fn texts(&mut self, items: &mut [Json], place: ValueRole) {
        let texts: Vec<String> = items.iter_mut().filter_map(text_of).map(std::mem::take).collect();
        let separator = if place == ValueRole::Parts { "" } else { " " };
        let across = if texts.len() > 1 { across(&texts, separator) } else { Vec::new() };
        let mut is_argument = false;
        let redacted = texts.iter().enumerate().map(|(at, text)| {
            let is_secret = is_argument && may_be_argument(text);
            is_argument = place == ValueRole::Content && is_secret_option(text);
            match across.get(at) {
                _ if is_secret => self.replacements.all(text),
                Some(ranges) if !ranges.is_empty() && !is_json(text) => {
                    let mut ranges = ranges.clone();
                    ranges.extend(self.secrets(text));
                    self.replace(text, ranges)
                }
                _ => self.text(text),
            }
        });
        let redacted: Vec<String> = redacted.collect();
        for (text, redacted) in items.iter_mut().filter_map(text_of).zip(redacted) {
            *text = redacted;
        }
    }
}

/// The text of a part, or a string.
fn text_of(item: &mut Json) -> Option<&mut String> {
    match item {
        Json::String(text) => Some(text),
        Json::Object(part) if part.len() == 2 && part.get("type").is_some_and(|kind| kind == "text") => {
            match part.get_mut("text") {
                Some(Json::String(text)) => Some(text),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The parts in each text of the secrets that are in several of them.
fn across(texts: &[String], separator: &str) -> Vec<Vec<Range<usize>>> {
    let joined = texts.join(separator);
    let mut starts: Vec<usize> = Vec::with_capacity(texts.len());
    let mut end = 0;
    for text in texts {
        starts.push(end);
        end += text.len() + separator.len();
    }
    let mut found = vec![Vec::new(); texts.len()];
    for range in secret::secrets(&joined) {
        let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        for ((text, start), found) in texts.iter().zip(&starts).zip(&mut found).skip(first) {
            if *start >= range.end {
                break;
            }
            let inner = range.start.saturating_sub(*start).min(text.len())..(range.end - start).min(text.len());
            found.extend((!inner.is_empty()).then_some(inner));
        }
    }
    found
}
