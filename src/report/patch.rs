//! A suggested change as the lines that it takes away and puts in.

use super::snippet::{self, Frame, Mark, Paint};
use crate::diagnostic::{Fix, TextEdit};
use crate::source::{Source, SourceId, SourceMap, starting_at};

/// The change, file by file; `home` is the file that needs no heading.
pub(super) fn draw(sources: &SourceMap, home: SourceId, fix: &Fix, frame: Frame) -> String {
    let mut files: Vec<SourceId> = fix.edits.iter().map(|edit| edit.span.source).collect();
    files.sort_unstable();
    files.dedup();
    let mut out = String::new();
    for source in files.into_iter().filter_map(|id| sources.get(id)) {
        if source.id() != home {
            out += &frame.head(":::", source.name());
        }
        let blank = frame.blank();
        out.extend(hunks(source, fix).iter().map(|hunk| format!("{blank}{}", hunk.draw(frame))));
    }
    out
}

/// The largest line number that the change shows.
pub(super) fn last_line(sources: &SourceMap, fix: &Fix) -> usize {
    let line = |edit: &TextEdit| {
        let source = sources.get(edit.span.source)?;
        Some(source.position(edit.span.end).line + edit.text.matches('\n').count())
    };
    fix.edits.iter().filter_map(line).max().unwrap_or(1)
}

/// Neighbouring lines that change together.
#[derive(Debug, PartialEq, Eq)]
struct Hunk {
    /// The number of the first line.
    line: usize,
    old: Vec<String>,
    new: Vec<String>,
    /// What is put into a single line, as bytes of the new one, when nothing is taken away.
    inserted: Option<Vec<std::ops::Range<usize>>>,
}

fn hunks(source: &Source, fix: &Fix) -> Vec<Hunk> {
    let mut edits: Vec<&TextEdit> = fix.edits.iter().filter(|edit| edit.span.source == source.id()).collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut groups: Vec<Vec<&TextEdit>> = Vec::new();
    for edit in edits {
        let near = |last: &&mut Vec<&TextEdit>| {
            let end = last.last().map_or(0, |edit| source.position(edit.span.end).line);
            source.position(edit.span.start).line <= end + 1
        };
        match groups.last_mut().filter(near) {
            Some(group) => group.push(edit),
            None => groups.push(vec![edit]),
        }
    }
    groups.iter().filter_map(|group| hunk(source, group)).collect()
}

/// The change of some lines; none when the edits overlap or lie outside.
fn hunk(source: &Source, edits: &[&TextEdit]) -> Option<Hunk> {
    let text = source.text();
    let (first, last) = (edits.first()?.span.range(), edits.last()?.span.range());
    let start = text.get(..first.start)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(last.end..)?.find('\n').map_or(text.len(), |at| last.end + at);
    let shown = snippet::of_lines(text, start..end, first.start..last.end);
    let before = if shown.start > start { "... " } else { "" };
    let behind = if shown.end < end { " ..." } else { "" };
    let (start, end) = (shown.start, shown.end);
    let (mut old, mut new, mut at, mut inserted) = (before.to_owned(), before.to_owned(), start, Some(Vec::new()));
    for edit in edits {
        let range = edit.span.range();
        let gap = snippet::of_text(text.get(at..range.start)?);
        let (taken, put) = (snippet::of_text(text.get(range.clone())?), snippet::of_text(&edit.text));
        old += &gap;
        new += &gap;
        let (before, after) = kept(&taken, &put);
        inserted = inserted.filter(|_| taken.len() == before + after);
        if let Some(all) = &mut inserted {
            all.push(new.len() + before..new.len() + put.len() - after);
        }
        old += &taken;
        new += &put;
        at = range.end;
    }
    let rest = text.get(at..end)?;
    old += rest;
    new += rest;
    old += behind;
    new += behind;
    Some(trimmed(source.position(edits.first()?.span.start).line, &old, &new, inserted))
}

/// How many bytes at the beginning and at the end a replacement leaves as they are.
fn kept(old: &str, new: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let before: usize = old.chars().zip(new.chars()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
    let (old, new) = (starting_at(old, before), starting_at(new, before));
    let after = old.chars().rev().zip(new.chars().rev()).take_while(same).map(|(a, _)| a.len_utf8()).sum();
    (before, after)
}

/// A hunk without the lines that stay as they are.
fn trimmed(line: usize, old: &str, new: &str, inserted: Option<Vec<std::ops::Range<usize>>>) -> Hunk {
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
    // A line that is emptied is one that goes.
    if new.iter().all(|line| line.trim().is_empty()) && !old.is_empty() {
        new.clear();
    }
    Hunk { line, old, new, inserted }
}

impl Hunk {
    fn draw(&self, frame: Frame) -> String {
        if let (Some(inserted), [new]) = (&self.inserted, self.new.as_slice()) {
            let mark = |range: &std::ops::Range<usize>| Mark {
                range: range.clone(),
                sign: '+',
                paint: Paint::Good,
                label: "",
            };
            return frame.marked(self.line, new, &inserted.iter().map(mark).collect::<Vec<_>>());
        }
        let lines = |sign: &str, paint, lines: &[String]| -> String {
            lines.iter().zip(self.line..).map(|(text, number)| frame.text(number, sign, paint, text)).collect()
        };
        lines("-", Paint::Bad, &self.old) + &lines("+", Paint::Good, &self.new)
    }
}
