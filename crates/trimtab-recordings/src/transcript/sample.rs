//! The beginning of a file, parsed as far as format detection needs it.
//!
//! [`Sample::of`] finds out how the text is laid out and parses its first records and messages one level deep. Deeper
//! values stay raw JSON.

use std::borrow::Cow;

use super::archive;
use super::record::Input;
use super::wire::{Fields, Indexed, Raw, Str};

/// The maximum number of records in a sample.
pub(super) const MAX_RECORDS: usize = 200;

/// The number of messages after which no more records are searched for messages, and the maximum per list.
const MAX_MESSAGES: usize = 60;

/// The numbers of records and messages that are sampled however long they are, and the bytes after
/// which no more than these are: a format shows in the first records, and a long file should not be parsed twice.
const MIN_SAMPLED: usize = 20;
const MAX_BYTES: usize = 64 << 10;

/// How much more is sampled.
struct Budget {
    items: usize,
    taken: usize,
    bytes: usize,
}

impl Budget {
    const fn new(items: usize) -> Self {
        Self { items, taken: 0, bytes: 0 }
    }

    /// Counts an item of this many bytes, and returns whether there may be another one.
    const fn take(&mut self, bytes: usize) -> bool {
        self.taken += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.taken < self.items && (self.taken < MIN_SAMPLED || self.bytes < MAX_BYTES)
    }
}

/// The keys of lists of messages, in order of precedence.
pub(super) const LIST_KEYS: [&str; 4] = ["messages", "clientHistory", "history", "contents"];

/// The maximum number of keys in the description of an object.
const MAX_KEYS: usize = 6;

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// One JSON object, perhaps on several lines.
    Document,
    /// One JSON array.
    Array,
    /// One JSON value per line.
    Lines,
    /// Not JSON.
    Text,
}

/// The beginning of a file.
#[derive(Clone, Debug)]
pub(super) struct Sample<'a> {
    text: &'a str,
    layout: Layout,
    records: Vec<ShallowValue<'a>>,
    messages: Vec<ShallowValue<'a>>,
}

impl<'a> Sample<'a> {
    /// Parses the beginning of a text.
    pub(super) fn of(input: &'a Input<'_>) -> Self {
        let (layout, records) = if let Some(document) = input.document() {
            (Layout::Document, vec![ShallowValue::of(document)])
        } else if let Some(items) = input.array() {
            (
                Layout::Array,
                sampled(items, Budget::new(MAX_RECORDS), |raw| raw.get().len()).map(ShallowValue::of).collect(),
            )
        } else {
            sample_lines(input)
        };
        let mut sample = Self { text: input.text(), layout, records, messages: Vec::new() };
        let mut messages = Vec::new();
        for record in sample.records() {
            if messages.len() < MAX_MESSAGES {
                collect_messages(record, 2, &mut messages);
            }
        }
        sample.messages = messages;
        sample
    }

    /// The whole text.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// Returns whether the text is not JSON.
    pub(super) fn is_text(&self) -> bool {
        self.layout == Layout::Text
    }

    /// The document, the first elements of the array, or the first lines; empty if the text is not JSON.
    pub(super) fn records(&self) -> &[ShallowValue<'a>] {
        if self.is_text() { &[] } else { &self.records }
    }

    /// The first messages: records with a `role`, and the elements of the [lists of messages](LIST_KEYS), also inside a
    /// `request` or `body`.
    pub(super) fn messages(&self) -> &[ShallowValue<'a>] {
        &self.messages
    }

    /// Describes the content of the file for an error message.
    pub(super) fn describe(&self) -> String {
        match (self.layout, self.records.first()) {
            (Layout::Text, _) if self.text.starts_with("PK\u{3}\u{4}") => "a damaged ZIP archive".to_owned(),
            (_, Some(record)) if record.has(archive::MEMBER) => "a ZIP archive".to_owned(),
            (Layout::Document, Some(record)) => record.describe(),
            (Layout::Array, Some(record)) => format!("a JSON array whose first element is {}", record.describe()),
            (Layout::Array, None) => "an empty JSON array".to_owned(),
            (Layout::Lines, Some(record)) => format!("JSON lines, the first being {}", record.describe()),
            (Layout::Text, Some(ShallowValue::Scalar)) => "JSON that is neither an object nor an array".to_owned(),
            _ => "text that is not JSON".to_owned(),
        }
    }
}

/// Returns whether the first line is a record by itself, and not the beginning of a value on several lines.
pub(super) fn begins_with_line(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    !first.starts_with(['{', '[']) || Indexed::of(first).is_some()
}

/// The first records.
fn sampled<T>(
    mut items: impl Iterator<Item = T>,
    mut budget: Budget,
    length: impl Fn(&T) -> usize,
) -> impl Iterator<Item = T> {
    let mut wants_more = true;
    std::iter::from_fn(move || {
        let item = if wants_more { items.next()? } else { return None };
        wants_more = budget.take(length(&item));
        Some(item)
    })
}

/// Samples the lines of a text that is not one JSON value.
fn sample_lines<'a>(input: &'a Input<'_>) -> (Layout, Vec<ShallowValue<'a>>) {
    let lines = sampled(input.lines(), Budget::new(MAX_RECORDS), |(line, _)| line.len());
    let records: Vec<_> = lines.filter_map(|(_, json)| json.map(ShallowValue::of)).collect();
    let is_lines = records.iter().any(|record| !matches!(record, ShallowValue::Scalar));
    // Some lines of a truncated document are valid JSON by themselves.
    let is_truncated = matches!(input.text().trim_start().lines().next().map(str::trim_end), Some("{" | "["));
    (if is_lines && !is_truncated { Layout::Lines } else { Layout::Text }, records)
}

/// Collects the messages of a record. Lists may contain messages, objects around messages, or lists again.
fn collect_messages<'a>(record: &ShallowValue<'a>, depth: usize, messages: &mut Vec<ShallowValue<'a>>) {
    let either = |keys: &[&str]| keys.iter().find_map(|key| record.field(key));
    if record.is_array() && depth > 0 {
        for element in record.sampled_elements() {
            collect_messages(&element, depth - 1, messages);
        }
    } else if let Some(list) = either(&LIST_KEYS).filter(ShallowValue::is_array) {
        messages.extend(list.sampled_elements());
    } else if record.has("role") {
        messages.push(record.clone());
    } else if let Some(inner) = either(&["request", "body"]).filter(|_| depth > 0) {
        collect_messages(&inner, 0, messages);
    }
}

/// A JSON value parsed one level deep.
#[derive(Clone, Debug)]
pub(super) enum ShallowValue<'a> {
    /// An object, with raw values.
    Object(Fields<'a>),
    /// An array, raw.
    Array(Raw<'a>),
    /// A string, number, boolean or null.
    Scalar,
}

impl<'a> ShallowValue<'a> {
    /// Parses a value one level deep.
    pub(super) fn of(raw: Raw<'a>) -> Self {
        if raw.is_array() {
            return Self::Array(raw);
        }
        raw.object().map_or(Self::Scalar, Self::Object)
    }

    /// Returns whether this is an object with this field, even if the field is `null`.
    pub(super) fn has(&self, key: &str) -> bool {
        matches!(self, Self::Object(fields) if fields.0.iter().any(|(name, _)| name == key))
    }

    /// The raw value of a field; `None` for `null`.
    fn raw(&self, key: &str) -> Option<Raw<'a>> {
        match self {
            Self::Object(fields) => fields.get(key),
            _ => None,
        }
    }

    /// The value of a string field.
    pub(super) fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        let raw = self.raw(key).filter(|raw| raw.is_string())?;
        raw.parse::<Str<'a>>().and_then(Str::into_inner)
    }

    /// Returns whether the JSON text of a field contains a string, which may be part of a text.
    pub(super) fn mentions(&self, key: &str, text: &str) -> bool {
        self.raw(key).is_some_and(|raw| raw.mentions(text))
    }

    /// A field, parsed one level deep.
    pub(super) fn field(&self, key: &str) -> Option<Self> {
        self.raw(key).map(Self::of)
    }

    /// The first elements of an array, each parsed one level deep.
    pub(super) fn elements(&self, limit: usize) -> Vec<Self> {
        match self {
            Self::Array(raw) => raw.elements().take(limit).map(Self::of).collect(),
            _ => Vec::new(),
        }
    }

    /// The first messages of an array, each parsed one level deep.
    fn sampled_elements(&self) -> Vec<Self> {
        let Self::Array(raw) = self else { return Vec::new() };
        sampled(raw.elements(), Budget::new(MAX_MESSAGES), |raw| raw.get().len()).map(Self::of).collect()
    }

    /// Returns whether this is an array.
    const fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    fn describe(&self) -> String {
        match self {
            Self::Object(fields) if fields.0.is_empty() => "an empty JSON object".to_owned(),
            Self::Object(fields) => {
                let keys: Vec<_> = fields.0.iter().take(MAX_KEYS).map(|(key, _)| format!("`{key}`")).collect();
                let more = match fields.0.len().saturating_sub(MAX_KEYS) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let noun = if keys.len() == 1 { "key" } else { "keys" };
                format!("a JSON object with the {noun} {}{more}", keys.join(", "))
            }
            Self::Array(_) => "a JSON array".to_owned(),
            Self::Scalar => "a JSON value that is neither an object nor an array".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_json_is_a_document_and_two_are_lines() {
        let layout = |text| Sample::of(&Input::of(text)).layout;
        assert_eq!(layout("{\"a\":1}\n"), Layout::Document);
        assert_eq!(layout("{\n\"a\":1\n}\n"), Layout::Document);
        assert_eq!(layout("{\"a\":1}\r\n{\"a\":2}\r\n"), Layout::Lines);
        assert_eq!(layout("broken\n{\"a\":2}"), Layout::Lines);
    }

    #[test]
    fn a_truncated_document_is_not_read_as_lines() {
        assert!(Sample::of(&Input::of("[\n{\"role\":\"user\"}\n")).is_text());
        assert!(Sample::of(&Input::of("hello")).is_text());
    }

    #[test]
    fn fields_are_parsed_one_level_deep() {
        let input = Input::of(r#"{"a":null,"b":"x\n","c":[{"d":1},2]}"#);
        let sample = Sample::of(&input);
        let value = &sample.records()[0];
        assert!(value.has("a") && value.raw("a").is_none());
        assert_eq!(value.string("b").as_deref(), Some("x\n"));
        assert!(value.field("c").expect("an array").elements(9)[0].has("d"));
        assert_eq!(sample.describe(), "a JSON object with the keys `a`, `b`, `c`");
    }
}
