//! What is said when a recording cannot be read.

use std::fmt;

use super::foreign;
use super::sample::Sample;

/// Why a file could not be read as a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What is wrong and what to do about it.
    pub message: String,
    /// The line, counted from 1, when it is known.
    pub line: Option<usize>,
    /// For a file of a format that is not read, what it is.
    pub unread: Option<Unread>,
}

/// A file of a format that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unread {
    /// A recording of this tool.
    Tool(&'static str),
    /// No recording that is known.
    Unknown,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: None, unread: None }
    }
}

/// There is nothing in the file.
pub(super) fn empty() -> ReadError {
    ReadError::new("the file is empty: a recording has at least one message")
}

/// `--input-format` names no format.
pub(super) fn unknown_format(name: &str) -> ReadError {
    ReadError::new(format!("there is no recording format `{name}`; known are {}", known()))
}

/// No format recognises the file.
pub(super) fn unrecognised(sample: &Sample<'_>, text: &str) -> ReadError {
    if is_broken(sample, text) {
        return broken(text);
    }
    let (message, unread) = match foreign::find(sample) {
        Some(foreign) => (
            format!("this is {}, which is not read; formats that are read: {}", foreign.described(), known()),
            Unread::Tool(foreign.tool),
        ),
        None => (
            format!(
                "this looks like {}, which is no known recording; formats that are read: {}",
                sample.looks(),
                known()
            ),
            Unread::Unknown,
        ),
    };
    ReadError { unread: Some(unread), ..ReadError::new(message) }
}

/// The format found no record of its own in the file.
pub(super) fn no_record(format: &str, text: &str) -> ReadError {
    let sample = Sample::of(text);
    if is_broken(&sample, text) {
        return broken(text);
    }
    let is = foreign::find(&sample).map_or_else(
        || format!("this looks like {}", sample.looks()),
        |foreign| format!("this is {}", foreign.described()),
    );
    ReadError::new(format!("no record of the format `{format}` is in it: {is}"))
}

/// Whether the text seems to be meant as JSON and is not.
fn is_broken(sample: &Sample<'_>, text: &str) -> bool {
    sample.is_text() && text.trim_start().starts_with(['{', '['])
}

/// The text is not JSON.
fn broken(text: &str) -> ReadError {
    let text = text.trim_end();
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) else {
        return ReadError::new("this is JSON, but no recording");
    };
    let line = Some(error.line()).filter(|line| *line > 0);
    let message = match not_a_number(text, &error) {
        Some(word) => {
            format!("`{word}` is not JSON; Python writes it unless told `allow_nan=False`: replace it by null")
        }
        None if error.is_eof() => "the JSON ends too early: the file seems to be cut off".to_owned(),
        None => format!("this is not JSON: {}", reason(&error)),
    };
    ReadError { message, line, unread: None }
}

/// The error without its position.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let column = format!("column {}", error.column());
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
    format!("{reason} ({column})")
}

/// The bare word of a number that JSON does not have, where the error stands.
fn not_a_number(text: &str, error: &serde_json::Error) -> Option<&'static str> {
    let line = text.lines().nth(error.line().checked_sub(1)?)?.as_bytes();
    let around = line.get(error.column().saturating_sub(2)..)?;
    let words = ["NaN", "-Infinity", "Infinity"];
    words.into_iter().find(|word| {
        around.starts_with(word.as_bytes()) || around.get(1..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
    })
}

fn known() -> String {
    let names = super::FORMATS.iter().map(|format| format!("`{}`", format.name)).collect::<Vec<_>>();
    names.join(", ")
}
