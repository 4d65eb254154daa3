//! The part of a file that a call reads or writes.

use serde_json::{Map, Value as Json};

use super::key::{ACTION_KEYS, is_path_key, key_words};

/// Keys that say nothing about what is read, without separators and in lower case.
const COMMENT_KEYS: &[&str] = &["description", "explanation", "reason"];

/// Keys of the first line of a range.
const FIRST_KEYS: &[&str] = &["startline", "linestart", "firstline", "fromline"];
/// Keys of the last line of a range.
const LAST_KEYS: &[&str] = &["endline", "lineend", "lastline", "toline"];
/// Keys of the first line that a call must read, because they could mean something else in a call that writes.
const OFFSET_KEYS: &[&str] = &["offset", "lineoffset", "start", "from"];
/// The same for the last line.
const END_KEYS: &[&str] = &["end", "to"];
/// The same for the number of lines.
const COUNT_KEYS: &[&str] = &["limit", "numlines", "linecount", "maxlines", "count"];
/// The same for both ends of a range, such as `[1, 20]` or `1-20`.
const RANGE_KEYS: &[&str] = &["viewrange", "linerange", "range", "lines"];

/// A part of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileRange {
    /// All of it, as far as the tool returns it.
    Whole,
    /// Lines.
    Lines {
        /// The first one.
        first: u64,
        /// The last one, or `None` for the end of the file.
        last: Option<u64>,
    },
    /// A part that other arguments describe.
    Other(Json),
}

impl FileRange {
    /// The part that the arguments of a call name. `reads` is whether the call reads.
    pub fn in_arguments(arguments: &Json, reads: bool) -> Self {
        arguments.as_object().map_or(Self::Whole, |fields| Self::of(fields, reads))
    }

    /// The part that the fields of a call name.
    pub(super) fn of(fields: &Map<String, Json>, reads: bool) -> Self {
        let mut range = Range::default();
        let name = |key: &str| key_words(key).collect::<String>().to_ascii_lowercase();
        let selects = |(key, value): &(&String, &Json)| {
            let is_absent = matches!(value, Json::Null | Json::Bool(false));
            let is_comment = || COMMENT_KEYS.contains(&name(key).as_str());
            !(is_absent || ACTION_KEYS.contains(&key.as_str()) || is_path_key(key) || is_comment())
        };
        let mut is_known = true;
        for (key, value) in fields.iter().filter(selects) {
            is_known &= range.set(&name(key), value, reads) || !reads;
        }
        if is_known {
            return range.of_file();
        }
        Self::Other(fields.iter().filter(selects).map(|(key, value)| (key.clone(), value.clone())).collect())
    }
}

/// The lines that arguments name.
#[derive(Default)]
struct Range {
    first: Option<u64>,
    last: Option<u64>,
    count: Option<u64>,
}

impl Range {
    /// Reads an argument; false if it is not understood.
    fn set(&mut self, key: &str, value: &Json, reads: bool) -> bool {
        let is = |always: &[&str], reading: &[&str]| always.contains(&key) || reads && reading.contains(&key);
        if is(&[], RANGE_KEYS) {
            let Some((first, last)) = pair(value) else { return false };
            (self.first, self.last) = (Some(first), last);
            return true;
        }
        let field = match () {
            () if is(FIRST_KEYS, OFFSET_KEYS) => &mut self.first,
            () if is(LAST_KEYS, END_KEYS) => &mut self.last,
            () if is(&[], COUNT_KEYS) => &mut self.count,
            () => return false,
        };
        *field = number(value);
        field.is_some()
    }

    fn of_file(&self) -> FileRange {
        if self.first.or(self.last).or(self.count).is_none() {
            return FileRange::Whole;
        }
        let first = self.first.unwrap_or(1);
        let counted = self.count.map(|count| first.saturating_add(count).saturating_sub(1));
        let last = self.last.into_iter().chain(counted).min();
        FileRange::Lines { first, last }
    }
}

fn number(value: &Json) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Both ends of a range. An end of -1 is the end of the file.
fn pair(value: &Json) -> Option<(u64, Option<u64>)> {
    if let Some(text) = value.as_str() {
        let (first, last) = text.split_once('-')?;
        return Some((first.trim().parse().ok()?, Some(last.trim().parse().ok()?)));
    }
    match value.as_array()?.as_slice() {
        [first, last] if last.as_i64() == Some(-1) => Some((number(first)?, None)),
        [first, last] => Some((number(first)?, Some(number(last)?))),
        _ => None,
    }
}
