//! Whether fixes have helped: what was found in a text before is held against what is found after them.

use std::collections::HashMap;
use std::fmt;

use super::candidate::{Candidate, is_error};
use super::once::Onces;
use crate::diagnostic::{Diagnostic, TextEdit};

/// A text and what is found in it.
#[derive(Debug)]
pub(super) struct State {
    pub(super) text: String,
    pub(super) found: Vec<Diagnostic>,
    onces: Onces,
}

impl State {
    pub(super) fn new(text: String, found: Vec<Diagnostic>) -> Self {
        let onces = Onces::of(&text);
        Self { text, found, onces }
    }
}

/// Why a fix is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It gives rise to another finding: its code and what it says.
    Brings(&'static str, String),
    /// Its finding, or another of the kind, is there afterwards.
    Stays,
    /// It puts `until` directly behind a `once` clause.
    Joins,
    /// Its edits do not fit the text.
    Unfit,
    /// So many before it did not help that it was not tried.
    Late,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Brings(code, message) => write!(f, "would bring {code}: {message}"),
            Self::Stays => f.write_str("would not take the finding away"),
            Self::Joins => f.write_str("would make `once until` of two clauses"),
            Self::Unfit => f.write_str("does not fit the text"),
            Self::Late => {
                f.write_str("was not tried, after many that did not help: run it again when these are mended")
            }
        }
    }
}

/// Where the places of a text lie after some edits.
#[derive(Debug)]
pub(super) struct Shift(Vec<Moved>);

/// An edit with its place in the new text.
#[derive(Debug)]
struct Moved {
    start: u32,
    end: u32,
    /// Where its new text begins and ends.
    to: (i64, i64),
}

impl Shift {
    /// Where a place lies; one that was replaced lies where its replacement begins.
    fn of(&self, place: u32) -> i64 {
        let before = self.0.partition_point(|edit| edit.end <= place);
        if let Some(edit) = self.0.get(before).filter(|edit| edit.start <= place) {
            return edit.to.0;
        }
        let last = before.checked_sub(1).map(|at| &self.0[at]);
        last.map_or(i64::from(place), |edit| edit.to.1 + i64::from(place) - i64::from(edit.end))
    }
}

/// A text with the edits of some fixes made; none when they do not fit it.
pub(super) fn edited(text: &str, wanted: &[&Candidate]) -> Option<(String, Shift)> {
    let mut edits: Vec<&TextEdit> = wanted.iter().flat_map(|one| &one.fix.edits).collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut out, mut at, mut moved) = (String::with_capacity(text.len()), 0, Vec::with_capacity(edits.len()));
    let length = |out: &String| i64::try_from(out.len()).unwrap_or(i64::MAX);
    for edit in edits {
        let range = edit.span.range();
        out += text.get(at..range.start)?;
        let start = length(&out);
        out += &edit.text;
        at = range.end;
        moved.push(Moved { start: edit.span.start, end: edit.span.end, to: (start, length(&out)) });
    }
    out += text.get(at..)?;
    Some((out, Shift(moved)))
}

/// Whether a text is better after some fixes, each of which should do its share.
pub(super) fn judge(before: &State, after: &State, fixes: &[&Candidate], shifts: &[Shift]) -> Result<(), Why> {
    if let Some(one) = brought(before, after, shifts) {
        return Err(Why::Brings(one.code.id, one.message.clone()));
    }
    let is_sound = !before.found.iter().any(is_error);
    if is_sound && before.onces.are_joined(&after.onces, |place| moved(place, shifts)) {
        return Err(Why::Joins);
    }
    let errors = |state: &State| state.found.iter().filter(|one| is_error(one)).count();
    let mended = fixes.iter().filter(|one| one.is_error).count();
    // Where errors stand lints are silent, so what comes to light when they go says nothing of the fixes.
    let helps = match mended {
        0 => after.found.len() + fixes.len() <= before.found.len(),
        _ => errors(after) + mended <= errors(before),
    };
    if helps { Ok(()) } else { Err(another(before, after)) }
}

/// Where a place lies after several rounds of edits.
fn moved(place: u32, shifts: &[Shift]) -> i64 {
    let step = |place, shift: &Shift| u32::try_from(place).map_or(place, |place| shift.of(place));
    shifts.iter().fold(i64::from(place), step)
}

/// An error that was not there before, in other words and in another place.
fn brought<'a>(before: &State, after: &'a State, shifts: &[Shift]) -> Option<&'a Diagnostic> {
    let mut words: HashMap<(&str, &str), Vec<&Diagnostic>> = HashMap::new();
    for one in before.found.iter().filter(|one| is_error(one)) {
        words.entry((one.code.id, &one.message)).or_default().push(one);
    }
    let mut others = after.found.iter().filter(|one| is_error(one)).collect::<Vec<_>>();
    others.retain(|one| words.get_mut(&(one.code.id, one.message.as_str())).and_then(Vec::pop).is_none());
    let mut places: HashMap<(&str, i64), usize> = HashMap::new();
    for one in words.into_values().flatten() {
        *places.entry((one.code.id, moved(one.primary.span.start, shifts))).or_default() += 1;
    }
    let is_new = |one: &&Diagnostic| {
        let place = (one.code.id, i64::from(one.primary.span.start));
        places.get_mut(&place).and_then(|count| count.checked_sub(1).map(|less| *count = less)).is_none()
    };
    others.into_iter().find(is_new)
}

/// What there is more of after fixes that did not help.
fn another(before: &State, after: &State) -> Why {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for one in &before.found {
        *counts.entry(one.code.id).or_default() += 1;
    }
    for one in &after.found {
        match counts.get_mut(one.code.id).and_then(|count| count.checked_sub(1).map(|less| *count = less)) {
            Some(()) => {}
            None => return Why::Brings(one.code.id, one.message.clone()),
        }
    }
    Why::Stays
}
