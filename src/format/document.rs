//! What stands on the lines of one statement, and where it may be broken.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// A part of a statement.
pub(super) enum Part<'t> {
    /// A token on one line.
    Token(&'t str),
    /// The value of a block whose lines are indented like the statement.
    Block(&'t str),
    /// A block that stays as it is.
    Raw(Cow<'t, str>),
    /// So many spaces.
    Space(usize),
    /// A space, or a new line in a broken group.
    Line,
    /// Nothing, or a new line in a broken group.
    Edge,
    /// A space; in a broken group a new line when what follows does not fit.
    Fill,
    /// A comma in a broken group only.
    Comma,
    /// What is broken as a whole or not at all.
    Group(Vec<Part<'t>>),
    /// A group between two signs, indented from the line on which it begins.
    Enclosed(Vec<Part<'t>>),
    /// What is indented when it does not stand on the first line.
    Nest(Vec<Part<'t>>),
    /// A comment, and whether it stands behind something. A new line follows.
    Comment(Cow<'t, str>, bool),
}

/// Columns of a text.
pub(super) fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Columns of some parts on one line; none when a comment breaks them.
pub(super) fn flat(parts: &[Part<'_>]) -> Option<usize> {
    let mut sum = 0;
    for part in parts {
        sum += match part {
            Part::Token(text) => columns(text),
            Part::Block(_) => 3,
            Part::Raw(text) => columns(text.lines().next().unwrap_or_default()),
            Part::Space(count) => *count,
            Part::Line | Part::Fill => 1,
            Part::Edge | Part::Comma => 0,
            Part::Group(inner) | Part::Enclosed(inner) | Part::Nest(inner) => flat(inner)?,
            Part::Comment(..) => return None,
        };
    }
    Some(sum)
}

/// Columns of some parts up to the first place where a line may end.
pub(super) fn bound(parts: &[Part<'_>]) -> usize {
    bound_before(parts, &mut false)
}

fn bound_before(parts: &[Part<'_>], ended: &mut bool) -> usize {
    let mut sum = 0;
    for part in parts {
        match part {
            Part::Line | Part::Edge | Part::Fill | Part::Comment(..) => *ended = true,
            Part::Group(inner) | Part::Enclosed(inner) | Part::Nest(inner) => sum += bound_before(inner, ended),
            other => sum += flat(std::slice::from_ref(other)).unwrap_or(0),
        }
        if *ended {
            break;
        }
    }
    sum
}

/// The parts before the next place where a line may end.
pub(super) fn unbroken<'p, 't>(parts: &'p [Part<'t>]) -> &'p [Part<'t>] {
    let breaks = |part: &Part<'_>| matches!(part, Part::Line | Part::Edge | Part::Fill);
    &parts[..parts.iter().position(breaks).unwrap_or(parts.len())]
}
