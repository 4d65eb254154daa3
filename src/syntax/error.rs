//! What can be wrong with the shape of a policy file, and how it is said.
//!
//! In: places and the author's words. Out: diagnostics with codes E101 to E113.

use super::code;
pub use super::code::CODES;
use super::literal::Fault;
use crate::diagnostic::{Diagnostic, Fix, TextEdit};
use crate::source::Span;

const OPEN_BLOCK: &str = "this block of text is not closed";

/// Something else was expected; `found` is the author's text in backticks, or words for an end.
pub(super) fn expected(span: Span, words: &[&'static str], found: &str, here: &str, help: &str) -> Diagnostic {
    let message = format!("expected {}, found {found}", listed(words));
    Diagnostic::new(&code::EXPECTED, span, message, here).help(help)
}

/// Alternatives as a person lists them; five at most.
fn listed(words: &[&'static str]) -> String {
    const MOST: usize = 5;
    let rest = words.len().saturating_sub(MOST);
    match (&words[..words.len().min(MOST)], rest) {
        ([], _) => "something else".to_owned(),
        ([one], _) => (*one).to_owned(),
        ([first @ .., last], 0) => format!("{} or {last}", first.join(", ")),
        (all, rest) => format!("{} or {rest} more", all.join(", ")),
    }
}

/// A word that is nearly the one meant.
pub(super) fn misspelt(span: Span, word: &str, meant: &str, noun: &str) -> Diagnostic {
    let message = format!("expected {noun}, found `{word}`");
    let here = match meant {
        "and" | "or" | "not" | "extends" | "before" | "after" | "per" => "no word of the language".to_owned(),
        _ => format!("`{word}` starts nothing here"),
    };
    Diagnostic::new(&code::EXPECTED, span, message, here).help(format!("did you mean `{meant}`?")).fix(
        format!("write `{meant}`"),
        false,
        span,
        meant,
    )
}

/// A number that is written in a way of elsewhere, with what is written here instead.
pub(super) fn number_here(span: Span, number: &str, here: &str, instead: &str) -> Diagnostic {
    Diagnostic::new(&code::NUMBER, span, format!("`{number}` is not how a number is written"), here)
        .help(format!("write `{instead}`"))
        .fix(format!("write `{instead}`"), true, span, instead)
}

/// A rule without the word `rule`.
pub(super) fn no_rule_word(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(
        &code::EXPECTED,
        span,
        format!("expected a rule, found `{name}`"),
        "a name without `rule` before it",
    )
    .help(format!("write `rule {name}`"))
    .fix("add `rule`", true, Span { end: span.start, ..span }, "rule ")
}

/// A text without its closing quote.
pub(super) fn open_text(span: Span) -> Diagnostic {
    Diagnostic::new(&code::OPEN_TEXT, span, "this text is not closed", "no `\"` before the end of the line")
        .help("close it with `\"`, or write `\"\"\"` around a text of several lines")
}

/// A block without its closing quotes.
pub(super) fn open_block(span: Span) -> Diagnostic {
    Diagnostic::new(&code::OPEN_TEXT, span, OPEN_BLOCK, "it begins here and never ends").help("close it with `\"\"\"`")
}

/// Whether this is a block without its closing quotes.
pub(super) fn is_open_block(finding: &Diagnostic) -> bool {
    finding.code.id == code::OPEN_TEXT.id && finding.message == OPEN_BLOCK
}

/// A closing brace is missing.
pub(super) fn unclosed(head: Span, end: Span, what: &str, indent: &str) -> Diagnostic {
    Diagnostic::new(&code::UNCLOSED, head, format!("this {what} is not closed"), "it is opened here")
        .label(end, "a `}` is missing before here")
        .help("add the missing `}`")
        .fix("add `}`", false, end, format!("\n{indent}}}"))
}

/// An opening brace is missing.
pub(super) fn unopened(head: Span, at: Span, what: &str) -> Diagnostic {
    Diagnostic::new(&code::UNOPENED, head, format!("this {what} has no opening brace"), "`{` is missing behind this")
        .help("write `{` at the end of its head")
        .fix("add `{`", false, Span { start: head.end, end: head.end, ..head }, " {")
        .label(Span { end: at.start, ..at }, "its content starts here")
}

/// A backslash before something that is no escape.
pub(super) fn bad_escape(span: Span, escape: &str) -> Diagnostic {
    let message = format!("`{escape}` is no escape");
    Diagnostic::new(&code::ESCAPE, span, message, "unknown escape")
        .help("the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`; write `\\\\` for a backslash")
}

/// A number without a value.
pub(super) fn bad_number(span: Span, number: &str, fault: Fault) -> Diagnostic {
    let (message, here, help) = match fault {
        Fault::Negative => ("is negative", "a minus sign", "nothing here is negative; leave the sign out"),
        Fault::TooLarge => ("is too large or too fine", "more digits than are kept", "write fewer digits"),
        Fault::Separator => (
            "is not a number",
            "a `_` or `.` without digits around it",
            "`_` and `.` stand between digits: `1_000`, `0.5`",
        ),
        Fault::Suffix => (
            "is not a number",
            "letters that mean nothing behind a number",
            "write a space before a unit, as in `500 chars`; durations are written like `30s`, `8m30s`, `1h`",
        ),
        Fault::Mixed => ("is not a number", "signs that do not go together", "write `80%`, `$1.50` or `200k`"),
    };
    let diagnostic = Diagnostic::new(&code::NUMBER, span, format!("`{number}` {message}"), here).help(help);
    match fault {
        Fault::Negative => diagnostic.fix("leave the sign out", false, span, number.replace('-', "")),
        _ => diagnostic,
    }
}

/// A closing sign with nothing to close.
pub(super) fn stray(span: Span, sign: &str) -> Diagnostic {
    Diagnostic::new(&code::STRAY, span, format!("`{sign}` closes nothing"), "nothing is open here")
        .help("remove it, or look for one too many before it")
        .fix(format!("remove `{sign}`"), false, span, "")
}

/// A brace in the middle of a rule, which ends it.
pub(super) fn early(span: Span) -> Diagnostic {
    Diagnostic::new(&code::STRAY, span, "this `}` ends the rule too early", "more of the rule follows")
        .help("remove it: a second `}` behind the rest of the rule closes it")
        .fix("remove `}`", false, span, "")
}

/// Brackets or signs nested deeper than is allowed.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(&code::DEEP, span, "this is nested too deep", "too many levels at this place")
        .help("name a part with `let`, or split the rule in two")
}

/// A reserved word where a name must stand.
pub(super) fn reserved(span: Span, word: &str) -> Diagnostic {
    Diagnostic::new(&code::RESERVED, span, format!("`{word}` is a reserved word"), "a name is expected here")
        .help(format!("choose another name, such as `{word}_it`"))
        .fix(format!("write `{word}_it`"), false, span, format!("{word}_it"))
}

/// Something that is right elsewhere.
pub(super) fn misplaced(span: Span, word: &str) -> Diagnostic {
    let (message, help) = match word {
        "rule" | "sealed" | "override" | "disable" => (
            format!("`{word}` stands outside a policy"),
            "put it between the braces of a `policy`; a `}` before it may be one too many",
        ),
        "given" | "expect" => (format!("`{word}` stands outside a test"), "put it between the braces of a `test`"),
        "policy" | "test" | "let" | "prompt" | "use" | "agent" | "edition" => {
            (format!("`{word}` stands inside a block"), "put it at the top level of the file")
        }
        _ => (
            format!("`{word}` stands outside a rule"),
            "put it between the braces of a `rule`; a `}` before it may be one too many",
        ),
    };
    Diagnostic::new(&code::MISPLACED, span, message, "not here").help(help)
}

/// A brace in a text that is filled.
pub(super) fn lone_brace(span: Span, brace: char) -> Diagnostic {
    let message = if brace == '{' { "this place to fill is not closed" } else { "this `}` closes nothing" };
    Diagnostic::new(&code::HOLE, span, message, format!("a single `{brace}`"))
        .help(format!("write `{brace}{brace}` for a brace, or `{{name}}` for a place to fill"))
        .fix(format!("write `{brace}{brace}`"), true, span, format!("{brace}{brace}"))
}

/// Something between the braces of a filled text that is no value.
pub(super) fn bad_hole(span: Span, inside: &str) -> Diagnostic {
    let message = format!("`{{{inside}}}` is no place to fill");
    Diagnostic::new(&code::HOLE, span, message, "expected a name between the braces")
        .help("write `{name}` or `{name ?? \"…\"}`; braces that belong to the text are doubled: `{{` and `}}`")
        .fix("double the braces", false, span, format!("{{{{{inside}}}}}"))
}

/// An edition that is no year.
pub(super) fn bad_edition(span: Span, year: &str) -> Diagnostic {
    Diagnostic::new(&code::NUMBER, span, format!("`{year}` is no edition"), "expected a year")
        .help("write `edition 2026`")
        .fix("write `2026`", false, span, "2026")
}

/// Quotes of another kind; `inside` is what they hold, when they are closed on the same line.
pub(super) fn quotes(span: Span, inside: Option<(Span, &str)>) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&code::FOREIGN, span, "texts stand in double quotes", "other quotes")
        .help("write `\"` on both sides");
    if let Some((inside, text)) = inside
        && !text.contains(['"', '\\'])
    {
        // Each quote alone, so that what stands between them keeps its place.
        let quotes = [Span { end: inside.start, ..span }, Span { start: inside.end, ..span }];
        let edits = quotes.map(|span| TextEdit { span, text: "\"".to_owned() }).to_vec();
        diagnostic.fixes.push(Fix::new("write double quotes", true, edits));
    }
    diagnostic
}

/// A sign of another language, with what is written here instead.
pub(super) fn foreign(sign: &str, span: Span, text: &str) -> Option<Diagnostic> {
    let (instead, help) = match sign {
        "=" => ("==", "write `==` to compare"),
        "&&" | "&" => ("and", "write `and`"),
        "||" | "|" => ("or", "write `or`"),
        "!" => ("not ", "write `not`"),
        "≥" | "=>" => (">=", "write `>=`"),
        "≤" | "=<" => ("<=", "write `<=`"),
        "≠" | "<>" => ("!=", "write `!=`"),
        "//" => ("#", "comments begin with `#`"),
        ";" | "," => ("", "remove it: clauses and items need nothing between them"),
        ":" => ("", "remove it: nothing stands between a word and what it says"),
        "/*" => return Some(foreign_sign(sign, span, "comments begin with `#` and end with their line")),
        "+" | "-" | "*" | "/" => {
            return Some(foreign_sign(sign, span, "there is no arithmetic; write the result, or `80% of NAME`"));
        }
        _ => return None,
    };
    let spaced = instead.chars().all(char::is_alphabetic) && !instead.is_empty();
    let bytes = text.as_bytes();
    let gap = |there: bool| if spaced && !there { " " } else { "" };
    let before = span.start == 0 || bytes[span.start as usize - 1].is_ascii_whitespace();
    let after = bytes.get(span.end as usize).is_none_or(u8::is_ascii_whitespace);
    let new = format!("{}{instead}{}", gap(before), gap(after));
    let title = if instead.is_empty() { format!("remove `{sign}`") } else { format!("write `{}`", instead.trim()) };
    Some(foreign_sign(sign, span, help).fix(title, true, span, new))
}

/// A semicolon between two effects.
pub(super) fn semicolon(span: Span) -> Diagnostic {
    foreign_sign(";", span, "write `then` between two effects").fix("write `then`", true, span, " then")
}

/// A comma or semicolon that may stand for `and`, for `then` or for nothing.
pub(super) fn separator(sign: &str, span: Span) -> Diagnostic {
    foreign_sign(sign, span, "join conditions with `and` and effects with `then`; nothing stands before a label")
}

/// Carriage returns that no line feed follows, by their places; none when there are none.
pub(super) fn line_ends(places: &[Span]) -> Option<Diagnostic> {
    let first = *places.first()?;
    let message = match places.len() {
        1 => "this carriage return ends no line".to_owned(),
        count => format!("{count} carriage returns end no line"),
    };
    let edits = places.iter().map(|span| TextEdit { span: *span, text: "\n".to_owned() }).collect();
    let mut finding = Diagnostic::new(&code::LINE_END, first, message, "no line feed behind it")
        .help("save the file with line feeds as line ends");
    finding.fixes.push(Fix::new("write line feeds", true, edits));
    Some(finding)
}

/// A name with a hyphen.
pub(super) fn hyphen(span: Span, name: &str) -> Diagnostic {
    let instead = name.replace('-', "_");
    Diagnostic::new(&code::EXPECTED, span, format!("expected a name, found `{name}`"), "a `-` in it")
        .help(format!("a name is made of letters, digits and `_`: write `{instead}`"))
        .fix(format!("write `{instead}`"), false, span, instead)
}

fn foreign_sign(sign: &str, span: Span, help: &str) -> Diagnostic {
    Diagnostic::new(&code::FOREIGN, span, format!("`{sign}` means nothing here"), "a sign of another language")
        .help(help)
}
