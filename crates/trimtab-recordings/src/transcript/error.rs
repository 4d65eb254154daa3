//! The errors of reading a recording.

use std::collections::BTreeMap;
use std::fmt;

use super::record::{Input, Skipped};
use super::sample::Sample;
use super::{Format, Transcript, limit, unsupported};

/// An error of reading a file as a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The problem and, where there is one, the remedy.
    pub message: String,
    /// The line, counted from 1, if the error has one.
    pub line: Option<usize>,
    /// What the file is, if its format is not supported.
    pub unsupported: Option<Unsupported>,
    /// The records that were skipped, by kind.
    pub(super) skipped: BTreeMap<String, u64>,
}

/// A file in a format that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unsupported {
    /// A file that this tool writes.
    Tool(&'static str),
    /// A file in an unknown format.
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
    /// An error without a line.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: None, unsupported: None, skipped: BTreeMap::new() }
    }
}

/// The file is empty.
pub(super) fn empty() -> ReadError {
    ReadError::new("the file is empty; a recording contains at least one message")
}

/// A text holds more than a file may; none of its lines from this one on was read.
pub(super) fn too_many_values(line: usize) -> ReadError {
    let (values, items) = (limit::MAX_VALUES, limit::MAX_ITEMS);
    let message = format!(
        "the file holds more than {values} JSON values, or more than {items} objects, lists, texts in lists and lines; split it"
    );
    ReadError { line: Some(line), ..ReadError::new(message) }
}

/// An archive holds more than [`limit::MAX_ITEMS`] messages and parts of messages.
pub(super) fn too_many_messages() -> ReadError {
    ReadError::new(format!("the archive holds more than {} messages and parts of messages; split it", limit::MAX_ITEMS))
}

/// The requested format does not exist.
pub(super) fn unknown_format(name: &str) -> ReadError {
    ReadError::new(format!("unknown recording format `{name}`; supported formats: {}", supported()))
}

/// No supported format recognises the file.
pub(super) fn unrecognised(sample: &Sample<'_>, text: &str) -> ReadError {
    if is_invalid_json(sample, text) {
        return invalid_json(text);
    }
    let (reason, unsupported) = match unsupported::find(sample) {
        Some(format) => (format!("{} are not supported", format.title()), Unsupported::Tool(format.tool)),
        None => {
            (format!("unrecognised recording format: the file contains {}", sample.describe()), Unsupported::Unknown)
        }
    };
    let message = format!("{reason}; supported formats: {}", supported());
    ReadError { unsupported: Some(unsupported), ..ReadError::new(message) }
}

/// The transcripts of a file, the first one with the counts of skipped records, or the error that there is none.
pub(super) fn with_skipped(
    mut transcripts: Vec<Transcript>,
    Skipped(skipped): Skipped,
    format: &str,
    input: &Input<'_>,
) -> Result<Vec<Transcript>, ReadError> {
    match transcripts.first_mut() {
        Some(first) => first.skipped = skipped,
        None => return Err(ReadError { skipped, ..no_record(format, input) }),
    }
    Ok(transcripts)
}

/// The file contains no record of the requested format.
pub(super) fn no_record(format: &str, input: &Input<'_>) -> ReadError {
    let sample = Sample::of(input);
    if is_invalid_json(&sample, input.text()) {
        return invalid_json(input.text());
    }
    let supported = super::FORMATS.iter().find(|one| one.name != format && (one.sniff)(&sample));
    let found = match (supported, unsupported::find(&sample)) {
        (Some(one), _) => format!("the file looks like `{}` ({})", one.name, one.title),
        (None, Some(one)) => format!("the file was written by {}", one.tool),
        (None, None) => format!("the file contains {}", sample.describe()),
    };
    ReadError::new(format!("found no `{format}` records; {found}"))
}

/// The file contains tool calls, but none in the requested format.
pub(super) fn no_calls(requested: &Format, detected: &Format) -> ReadError {
    let (name, title) = (detected.name, detected.title);
    ReadError::new(format!("found no tool calls as `{}`; the file looks like `{name}` ({title})", requested.name))
}

/// The file has content that the reader did not find, such as `tool calls`.
pub(super) fn missing(content: &str, format: &Format, input: &Input<'_>) -> ReadError {
    let (name, title) = (format.name, format.title);
    let tool = unsupported::find(&Sample::of(input)).map(|found| found.tool);
    let reason = match tool {
        Some(tool) => format!("it was written by {tool}, whose files are not supported"),
        None => "it is in another format, or in a version of this one that is not supported".to_owned(),
    };
    let message = format!("found no {content} as `{name}` ({title}), although the file has some: {reason}");
    ReadError { unsupported: tool.map(Unsupported::Tool), ..ReadError::new(message) }
}

/// Returns whether the text begins like JSON but does not parse.
fn is_invalid_json(sample: &Sample<'_>, text: &str) -> bool {
    sample.is_text() && text.trim_start().starts_with(['{', '['])
}

/// The text is not valid JSON.
fn invalid_json(text: &str) -> ReadError {
    let text = text.trim_end();
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) else {
        return ReadError::new("the file contains JSON but no recording");
    };
    let line = Some(error.line()).filter(|line| *line > 0);
    let message = if error.is_eof() {
        "unexpected end of JSON; the file seems to be truncated".to_owned()
    } else {
        format!("invalid JSON: {}", reason(&error))
    };
    ReadError { line, ..ReadError::new(message) }
}

/// The message of a JSON error with only the column of its position.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let column = format!("column {}", error.column());
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
    format!("{reason} ({column})")
}

fn supported() -> String {
    let names = super::FORMATS.iter().map(|format| format!("`{}`", format.name)).collect::<Vec<_>>();
    names.join(", ")
}
