//! A first look at a file, from which each format says whether the file is one of its own.
//!
//! In: the text. Out: its form and its first records, one level deep. It reads no more than it must.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::wire::{self, Fields, Str};

/// How many records are looked at.
const RECORDS: usize = 200;

/// How many messages are looked at.
const MESSAGES: usize = 60;

/// How the text is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// One JSON value, perhaps over many lines.
    Document,
    /// One JSON array.
    Array,
    /// A JSON value a line.
    Lines,
    /// Not JSON.
    Text,
}

/// The first look at a file.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    text: &'a str,
    form: Form,
    records: Vec<Peek<'a>>,
    messages: Vec<Peek<'a>>,
}

impl<'a> Sample<'a> {
    /// Looks at a text.
    pub fn of(text: &'a str) -> Self {
        let (form, records) = if let Some(fields) = whole(text, '{') {
            (Form::Document, vec![Peek::Object(Object(fields))])
        } else if let Some(items) = whole::<Vec<&RawValue>>(text, '[') {
            (Form::Array, items.into_iter().take(RECORDS).map(Peek::of).collect())
        } else {
            lines(text)
        };
        let mut sample = Self { text, form, records, messages: Vec::new() };
        let mut messages = Vec::new();
        for record in sample.records() {
            if messages.len() < MESSAGES {
                add_messages(record, 2, &mut messages);
            }
        }
        sample.messages = messages;
        sample
    }

    /// The whole text.
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the text is not JSON.
    pub fn is_text(&self) -> bool {
        self.form == Form::Text
    }

    /// Whether the text holds a JSON value a line; a single line counts as a document.
    #[cfg(test)]
    pub fn is_lines(&self) -> bool {
        self.form == Form::Lines
    }

    /// The document, or its first elements when it is an array, or the first lines; none of a text that is not JSON.
    pub fn records(&self) -> &[Peek<'a>] {
        if self.is_text() { &[] } else { &self.records }
    }

    /// The first messages of whatever looks like a list of them: objects with a `role`, or what stands in `messages`
    /// or `history`, also within a `request` or `body`.
    pub fn messages(&self) -> &[Peek<'a>] {
        &self.messages
    }

    /// The document, when the text is one and no array.
    #[cfg(test)]
    pub fn document(&self) -> Option<&Peek<'a>> {
        self.records.first().filter(|_| self.form == Form::Document)
    }

    /// What a person would call it.
    pub(super) fn looks(&self) -> String {
        match (self.form, self.records.first()) {
            (Form::Text, _) if self.text.starts_with("PK\u{3}\u{4}") => "a ZIP archive".to_owned(),
            (Form::Document, Some(record)) => record.looks(),
            (Form::Array, Some(record)) => format!("a JSON array, its first element {}", record.looks()),
            (Form::Array, None) => "an empty JSON array".to_owned(),
            (Form::Lines, Some(record)) => format!("lines of JSON, the first of them {}", record.looks()),
            (Form::Text, Some(Peek::Scalar)) => "JSON that is neither object nor array".to_owned(),
            _ => "text that is not JSON".to_owned(),
        }
    }
}

/// The text as one JSON value that begins with `open`, unless it is lines of which the first is a value already.
pub(super) fn whole<'a, T: Deserialize<'a>>(text: &'a str, open: char) -> Option<T> {
    let text = text.trim();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let is_lines = !rest.is_empty() && serde_json::from_str::<IgnoredAny>(first).is_ok();
    if is_lines || !text.starts_with(open) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The first lines of a text that is no document.
fn lines(text: &str) -> (Form, Vec<Peek<'_>>) {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(RECORDS);
    let records: Vec<_> = lines.filter_map(Peek::of_line).collect();
    let is_lines = records.iter().any(|record| !matches!(record, Peek::Scalar));
    // A document that is cut off has lines that happen to be JSON.
    let cut_off = matches!(text.trim_start().lines().next().map(str::trim_end), Some("{" | "["));
    (if is_lines && !cut_off { Form::Lines } else { Form::Text }, records)
}

/// Lists may hold messages, objects around messages, or lists again.
fn add_messages<'a>(record: &Peek<'a>, depth: usize, messages: &mut Vec<Peek<'a>>) {
    let within = |keys: [&str; 2]| keys.iter().find_map(|key| record.at(key));
    if record.is_array() && depth > 0 {
        for item in record.items(MESSAGES) {
            add_messages(&item, depth - 1, messages);
        }
    } else if let Some(list) = within(["messages", "history"]).filter(Peek::is_array) {
        messages.extend(list.items(MESSAGES));
    } else if record.has("role") {
        messages.push(record.clone());
    } else if let Some(inner) = within(["request", "body"]).filter(|_| depth > 0) {
        add_messages(&inner, 0, messages);
    }
}

/// A record seen one level deep.
#[derive(Clone, Debug)]
pub enum Peek<'a> {
    /// An object.
    Object(Object<'a>),
    /// An array, unread.
    Array(&'a RawValue),
    /// A string, number, flag or null.
    Scalar,
}

/// The fields of an object, unread.
#[derive(Clone, Debug)]
pub struct Object<'a>(Fields<'a>);

impl<'a> Peek<'a> {
    fn of(raw: &'a RawValue) -> Self {
        if wire::is_array(raw) {
            return Self::Array(raw);
        }
        wire::object(raw).map_or(Self::Scalar, |fields| Self::Object(Object(fields)))
    }

    /// A line; nothing when it is not JSON.
    fn of_line(line: &'a str) -> Option<Self> {
        if line.starts_with('{') {
            return serde_json::from_str(line).ok().map(|fields| Self::Object(Object(fields)));
        }
        serde_json::from_str(line).ok().map(Self::of)
    }

    /// Whether it is an object with this field, null or not.
    pub fn has(&self, key: &str) -> bool {
        matches!(self, Self::Object(Object(fields)) if fields.0.iter().any(|(name, _)| name == key))
    }

    /// The raw value of a field; `null` counts as absent.
    pub fn raw(&self, key: &str) -> Option<&'a RawValue> {
        match self {
            Self::Object(Object(fields)) => fields.get(key),
            _ => None,
        }
    }

    /// The text of a field that is a string.
    pub fn word(&self, key: &str) -> Option<Cow<'a, str>> {
        let raw = self.raw(key).filter(|raw| wire::is_string(raw))?;
        wire::parse::<Str<'a>>(raw).and_then(Str::into_inner)
    }

    /// A field, one level deep.
    pub fn at(&self, key: &str) -> Option<Self> {
        self.raw(key).map(Self::of)
    }

    /// The first elements of an array, one level deep each.
    pub fn items(&self, limit: usize) -> Vec<Self> {
        match self {
            Self::Array(raw) => wire::first_elements(raw.get(), limit).into_iter().map(Self::of).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether it is an array.
    pub const fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    fn looks(&self) -> String {
        match self {
            Self::Object(Object(fields)) if fields.0.is_empty() => "an empty JSON object".to_owned(),
            Self::Object(Object(fields)) => {
                let keys: Vec<_> = fields.0.iter().take(6).map(|(key, _)| format!("`{key}`")).collect();
                format!("a JSON object with {}", keys.join(", "))
            }
            Self::Array(_) => "a JSON array".to_owned(),
            Self::Scalar => "a JSON value that is neither object nor array".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_json_is_a_document_and_two_are_lines() {
        assert!(Sample::of("{\"a\":1}\n").document().is_some());
        assert!(Sample::of("{\n\"a\":1\n}\n").document().is_some());
        assert!(Sample::of("{\"a\":1}\r\n{\"a\":2}\r\n").is_lines());
        assert!(Sample::of("broken\n{\"a\":2}").is_lines());
    }

    #[test]
    fn a_document_that_is_cut_off_is_not_taken_for_lines() {
        assert!(Sample::of("[\n{\"role\":\"user\"}\n").is_text());
        assert!(Sample::of("hello").is_text());
    }

    #[test]
    fn fields_are_seen_without_reading_them() {
        let sample = Sample::of(r#"{"a":null,"b":"x\n","c":[{"d":1},2]}"#);
        let peek = sample.document().expect("a document");
        assert!(peek.has("a") && peek.raw("a").is_none());
        assert_eq!(peek.word("b").as_deref(), Some("x\n"));
        assert!(peek.at("c").expect("an array").items(9)[0].has("d"));
        assert_eq!(sample.looks(), "a JSON object with `a`, `b`, `c`");
    }
}
