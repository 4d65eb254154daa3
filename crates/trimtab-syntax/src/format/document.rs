//! The parts of a statement, and where its lines may break.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// A part of a statement.
pub(super) enum Part<'t> {
    /// A token on one line.
    Token(&'t str),
    /// The value of a block, which is indented like the statement.
    Block(&'t str),
    /// Text that is copied unchanged.
    Verbatim(Cow<'t, str>),
    /// This many spaces.
    Space(usize),
    /// A space, or a line break in a broken group.
    Line,
    /// Nothing, or a line break in a broken group.
    SoftLine,
    /// A space, or in a broken group a line break if the next parts do not fit.
    Fill,
    /// Nothing, or a comma in a broken group.
    TrailingComma,
    /// Parts whose line breaks are all used or all not.
    Group(Vec<Part<'t>>),
    /// A group between brackets, indented relative to the line on which it begins.
    Bracketed(Vec<Part<'t>>),
    /// Parts that are indented after a line break.
    Indent(Vec<Part<'t>>),
    /// A comment, and whether it follows something on its line. It ends the line.
    Comment(Cow<'t, str>, bool),
}

/// The width of a text in columns.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// The width of parts on one line; `None` if a comment breaks the line.
pub(super) fn flat_width(parts: &[Part<'_>]) -> Option<usize> {
    let mut sum = 0;
    for part in parts {
        sum += match part {
            Part::Token(text) => width(text),
            Part::Block(_) => 3,
            Part::Verbatim(text) => width(text.lines().next().unwrap_or_default()),
            Part::Space(count) => *count,
            Part::Line | Part::Fill => 1,
            Part::SoftLine | Part::TrailingComma => 0,
            Part::Group(inner) | Part::Bracketed(inner) | Part::Indent(inner) => flat_width(inner)?,
            Part::Comment(..) => return None,
        };
    }
    Some(sum)
}

/// The width of parts up to the first possible line break.
pub(super) fn width_before_break(parts: &[Part<'_>]) -> usize {
    add_width_before_break(parts, &mut false)
}

fn add_width_before_break(parts: &[Part<'_>], ended: &mut bool) -> usize {
    let mut sum = 0;
    for part in parts {
        match part {
            Part::Line | Part::SoftLine | Part::Fill | Part::Comment(..) => *ended = true,
            Part::Group(inner) | Part::Bracketed(inner) | Part::Indent(inner) => {
                sum += add_width_before_break(inner, ended);
            }
            other => sum += flat_width(std::slice::from_ref(other)).unwrap_or(0),
        }
        if *ended {
            break;
        }
    }
    sum
}

/// The parts before the next possible line break.
pub(super) fn until_break<'p, 't>(parts: &'p [Part<'t>]) -> &'p [Part<'t>] {
    let breaks = |part: &Part<'_>| matches!(part, Part::Line | Part::SoftLine | Part::Fill);
    &parts[..parts.iter().position(breaks).unwrap_or(parts.len())]
}
