//! A suggested change as the lines that it removes and adds.

use std::ops::Range;

use trimtab_base::source::starting_at;

use super::snippet::{self, Excerpt, Frame, Mark, Paint};

/// One replacement in a text.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// The bytes that are replaced; an empty range inserts.
    pub(super) range: Range<usize>,
    /// The new text.
    pub(super) text: String,
}

/// The change, text by text; the text called `home` needs no heading.
pub(super) fn draw(home: &str, parts: &[(Excerpt, Vec<Edit>)], frame: Frame) -> String {
    let mut out = String::new();
    for (excerpt, edits) in parts {
        if excerpt.name() != home {
            out += &frame.head(":::", excerpt.name());
        }
        let blank = frame.blank();
        out.extend(hunks(excerpt, edits).iter().map(|hunk| format!("{blank}{}", hunk.draw(frame))));
    }
    out
}

/// The largest line number that the change shows.
pub(super) fn last_line(excerpt: &Excerpt, edits: &[Edit]) -> usize {
    let line = |edit: &Edit| excerpt.position(edit.range.end).line + edit.text.matches('\n').count();
    edits.iter().map(line).max().unwrap_or(1)
}

/// Neighbouring lines that change together.
#[derive(Debug, PartialEq, Eq)]
struct Hunk {
    /// The number of the first line.
    line: usize,
    old: Vec<String>,
    new: Vec<String>,
    /// Where a single line only gains text: the bytes of the new line that are inserted.
    inserted: Option<Vec<Range<usize>>>,
}

fn hunks(excerpt: &Excerpt, edits: &[Edit]) -> Vec<Hunk> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut groups: Vec<Vec<&Edit>> = Vec::new();
    for edit in edits {
        let near = |last: &&mut Vec<&Edit>| {
            let end = last.last().map_or(0, |edit| excerpt.position(edit.range.end).line);
            excerpt.position(edit.range.start).line <= end + 1
        };
        match groups.last_mut().filter(near) {
            Some(group) => group.push(edit),
            None => groups.push(vec![edit]),
        }
    }
    groups.iter().filter_map(|group| hunk(excerpt, group)).collect()
}

/// Returns the change of some lines, or `None` if the edits overlap or are outside the text.
fn hunk(excerpt: &Excerpt, edits: &[&Edit]) -> Option<Hunk> {
    let (first, last) = (edits.first()?.range.clone(), edits.last()?.range.clone());
    let (offset, text) = excerpt.around(first.start)?;
    let local = |range: &Range<usize>| Some(range.start.checked_sub(offset)?..range.end.checked_sub(offset)?);
    let (start, end) = (local(&first)?.start, local(&last)?.end);
    let line_start = excerpt.line_start(excerpt.position(first.start).line) - offset;
    let line_end = excerpt.line_end(last.end) - offset;
    let visible = snippet::shorten_lines(text, line_start..line_end, start..end);
    let before = if visible.start > line_start { "... " } else { "" };
    let after = if visible.end < line_end { " ..." } else { "" };
    let (mut old, mut new, mut inserted) = (before.to_owned(), before.to_owned(), Some(Vec::new()));
    let mut at = visible.start;
    for edit in edits {
        let range = local(&edit.range)?;
        let gap = snippet::shorten_text(text.get(at..range.start)?);
        let (removed, added) = (snippet::shorten_text(text.get(range.clone())?), snippet::shorten_text(&edit.text));
        old += &gap;
        new += &gap;
        let (prefix, suffix) = common_ends(&removed, &added);
        inserted = inserted.filter(|_| removed.len() == prefix + suffix);
        if let Some(all) = &mut inserted {
            all.push(new.len() + prefix..new.len() + added.len() - suffix);
        }
        old += &removed;
        new += &added;
        at = range.end;
    }
    let rest = text.get(at..visible.end)?;
    Some(trimmed(excerpt.position(first.start).line, &(old + rest + after), &(new + rest + after), inserted))
}

/// How many bytes at the beginning and at the end two texts have in common.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let prefix: usize = old.chars().zip(new.chars()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
    let (old, new) = (starting_at(old, prefix), starting_at(new, prefix));
    let suffix = old.chars().rev().zip(new.chars().rev()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
    (prefix, suffix)
}

/// A hunk without the lines at its beginning and end that do not change.
fn trimmed(line: usize, old: &str, new: &str, inserted: Option<Vec<Range<usize>>>) -> Hunk {
    let split = |text: &str| text.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect();
    let (mut old, mut new): (Vec<String>, Vec<String>) = (split(old), split(new));
    let inserted = inserted.filter(|_| old.len() == 1 && new.len() == 1);
    let mut line = line;
    if inserted.is_none() {
        let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        old.drain(..same);
        new.drain(..same);
        line += same;
    }
    while inserted.is_none() && !old.is_empty() && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    // An emptied line is shown as removed.
    if new.iter().all(|line| line.trim().is_empty()) && !old.is_empty() {
        new.clear();
    }
    Hunk { line, old, new, inserted }
}

impl Hunk {
    fn draw(&self, frame: Frame) -> String {
        if let (Some(inserted), [new]) = (&self.inserted, self.new.as_slice()) {
            let mark =
                |range: &Range<usize>| Mark { range: range.clone(), symbol: '+', paint: Paint::Added, label: "" };
            return frame.marked(self.line, new, &inserted.iter().map(mark).collect::<Vec<_>>());
        }
        let lines = |edge: &str, paint, lines: &[String]| -> String {
            lines.iter().zip(self.line..).map(|(text, number)| frame.text(number, edge, paint, text)).collect()
        };
        lines("-", Paint::Removed, &self.old) + &lines("+", Paint::Added, &self.new)
    }
}
