//! Syntax errors: diagnostics with the codes E101 to E113.

use trimtab_base::diagnostic::{Diagnostic, Fix, TextEdit};
use trimtab_base::source::Span;

use super::code;
pub use super::code::CODES;
use super::keyword::{Keyword, Position};
use super::literal::NumberError;

const OPEN_BLOCK: &str = "this block of text is not closed";

/// Something else was expected. `found` is the author's text in backticks, or "the end of the file".
pub(super) fn expected(span: Span, words: &[&'static str], found: &str, here: &str, help: &str) -> Diagnostic {
    let message = format!("expected {}, found {found}", alternatives(words));
    Diagnostic::new(&code::EXPECTED, span, message, here).help(help)
}

/// A list of alternatives, at most five.
fn alternatives(words: &[&'static str]) -> String {
    const MAX_LISTED: usize = 5;
    let rest = words.len().saturating_sub(MAX_LISTED);
    match (&words[..words.len().min(MAX_LISTED)], rest) {
        ([], _) => "something else".to_owned(),
        ([only], _) => (*only).to_owned(),
        ([first @ .., last], 0) => format!("{} or {last}", first.join(", ")),
        (all, rest) => format!("{} and {rest} more", all.join(", ")),
    }
}

/// A misspelt keyword.
pub(super) fn misspelt(span: Span, word: &str, keyword: Keyword, noun: &str) -> Diagnostic {
    let message = format!("expected {noun}, found `{word}`");
    let text = keyword.text();
    let here = match keyword.position() {
        Position::Expression | Position::Part => "not a keyword".to_owned(),
        Position::Item => format!("`{word}` does not begin an item"),
        Position::PolicyItem => format!("`{word}` does not begin a rule"),
        Position::Statement => format!("`{word}` does not begin a statement"),
        Position::Clause => format!("`{word}` is not a clause keyword"),
    };
    Diagnostic::new(&code::EXPECTED, span, message, here).help(format!("did you mean `{text}`?")).fix(
        format!("write `{text}`"),
        false,
        span,
        text,
    )
}

/// A number in the notation of another language, with the notation of this one.
pub(super) fn foreign_number(span: Span, number: &str, label: &str, replacement: &str) -> Diagnostic {
    Diagnostic::new(&code::NUMBER, span, format!("`{number}` is not a valid number"), label)
        .help(format!("write `{replacement}`"))
        .fix(format!("write `{replacement}`"), true, span, replacement)
}

/// A rule without the keyword `rule`.
pub(super) fn no_rule_keyword(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(
        &code::EXPECTED,
        span,
        format!("expected a rule, found `{name}`"),
        "a name without `rule` before it",
    )
    .help(format!("write `rule {name}`"))
    .fix("add `rule`", true, Span { end: span.start, ..span }, "rule ")
}

/// A text without a closing quote.
pub(super) fn open_text(span: Span) -> Diagnostic {
    Diagnostic::new(&code::OPEN_TEXT, span, "this text is not closed", "no `\"` before the end of the line")
        .help("close it with `\"`, or write `\"\"\"` around a text of several lines")
}

/// A block of text without closing quotes.
pub(super) fn open_block(span: Span) -> Diagnostic {
    Diagnostic::new(&code::OPEN_TEXT, span, OPEN_BLOCK, "it starts here and never ends").help("close it with `\"\"\"`")
}

/// Whether this is the error for a block of text without closing quotes.
pub(super) fn is_open_block(finding: &Diagnostic) -> bool {
    finding.code.id == code::OPEN_TEXT.id && finding.message == OPEN_BLOCK
}

/// A closing brace is missing.
pub(super) fn unclosed(head: Span, end: Span, what: &str, indent: &str) -> Diagnostic {
    Diagnostic::new(&code::UNCLOSED, head, format!("this {what} is not closed"), "opened here")
        .label(end, "expected `}` before this")
        .help("add the missing `}`")
        .fix("add `}`", false, end, format!("\n{indent}}}"))
}

/// An opening brace is missing.
pub(super) fn unopened(head: Span, at: Span, what: &str) -> Diagnostic {
    Diagnostic::new(&code::UNOPENED, head, format!("this {what} has no opening brace"), "expected `{` after this")
        .help("add `{` at the end of this line")
        .fix("add `{`", false, Span { start: head.end, end: head.end, ..head }, " {")
        .label(Span { end: at.start, ..at }, "its content starts here")
}

/// A backslash before a character that cannot be escaped.
pub(super) fn bad_escape(span: Span, escape: &str) -> Diagnostic {
    Diagnostic::new(&code::ESCAPE, span, format!("unknown escape sequence `{escape}`"), "unknown escape sequence")
        .help("the escape sequences are `\\\"`, `\\\\`, `\\n` and `\\t`; write `\\\\` for a backslash")
}

/// A number without a value.
pub(super) fn bad_number(span: Span, number: &str, error: NumberError) -> Diagnostic {
    let (message, here, help) = match error {
        NumberError::Negative => ("is negative", "negative", "no number may be negative; remove the minus sign"),
        NumberError::TooLarge => ("has too many digits", "too large or too precise", "write fewer digits"),
        NumberError::Separator => (
            "is not a valid number",
            "a `_` or `.` without digits on both sides",
            "write `_` and `.` only between digits: `1_000`, `0.5`",
        ),
        NumberError::Suffix => (
            "is not a valid number",
            "unknown suffix",
            "write a space before a unit, as in `500 chars`; durations are written like `30s`, `8m30s`, `1h`",
        ),
        NumberError::Mixed => {
            ("is not a valid number", "`$`, `%`, `k` and `M` cannot be combined", "write `80%`, `$1.50` or `200k`")
        }
    };
    let diagnostic = Diagnostic::new(&code::NUMBER, span, format!("`{number}` {message}"), here).help(help);
    match error {
        NumberError::Negative => diagnostic.fix("remove the minus sign", false, span, number.replace('-', "")),
        _ => diagnostic,
    }
}

/// A closing bracket without an opening one.
pub(super) fn unmatched(span: Span, bracket: &str) -> Diagnostic {
    Diagnostic::new(&code::STRAY, span, format!("unmatched `{bracket}`"), "no matching opening bracket")
        .help("remove it, or look for an extra one before it")
        .fix(format!("remove `{bracket}`"), false, span, "")
}

/// A brace in the middle of a rule, which ends the rule.
pub(super) fn early_brace(span: Span) -> Diagnostic {
    Diagnostic::new(&code::STRAY, span, "this `}` ends the rule too early", "more clauses of the rule follow")
        .help("remove it: a second `}` after these clauses closes the rule")
        .fix("remove `}`", false, span, "")
}

/// Brackets or operators that nest too deep.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(&code::DEEP, span, "this is nested too deeply", "too many levels")
        .help("name a part with `let`, or split the rule in two")
}

/// A reserved word where a name is expected.
pub(super) fn reserved(span: Span, word: &str) -> Diagnostic {
    Diagnostic::new(&code::RESERVED, span, format!("`{word}` is a reserved word"), "expected a name")
        .help(format!("choose another name, such as `my_{word}`"))
        .fix(format!("write `my_{word}`"), false, span, format!("my_{word}"))
}

/// A keyword that is valid in another context.
pub(super) fn misplaced(span: Span, keyword: Keyword) -> Diagnostic {
    let (place, help) = match keyword.position() {
        Position::PolicyItem => {
            ("outside a policy", "move it between the braces of a `policy`; there may be an extra `}` before it")
        }
        Position::Statement => ("outside a test", "move it between the braces of a `test`"),
        Position::Item => ("inside a block", "move it to the top level of the file"),
        _ => ("outside a rule", "move it between the braces of a `rule`; there may be an extra `}` before it"),
    };
    let message = format!("`{}` {place}", keyword.text());
    Diagnostic::new(&code::MISPLACED, span, message, "not allowed here").help(help)
}

/// A single brace in a text with interpolation.
pub(super) fn lone_brace(span: Span, brace: char) -> Diagnostic {
    let message = if brace == '{' { "this interpolation is not closed" } else { "unmatched `}` in a text" };
    Diagnostic::new(&code::HOLE, span, message, format!("a single `{brace}`"))
        .help(format!("write `{brace}{brace}` for a literal brace, or `{{name}}` to insert a value"))
        .fix(format!("write `{brace}{brace}`"), true, span, format!("{brace}{brace}"))
}

/// An interpolation that does not contain a value.
pub(super) fn bad_interpolation(span: Span, inside: &str) -> Diagnostic {
    Diagnostic::new(
        &code::HOLE,
        span,
        format!("`{{{inside}}}` is not an interpolation"),
        "expected a name in the braces",
    )
    .help("write `{name}` or `{name ?? \"…\"}`; write `{{` and `}}` for literal braces")
    .fix("write literal braces", false, span, format!("{{{{{inside}}}}}"))
}

/// An edition that is not a year.
pub(super) fn bad_edition(span: Span, year: &str) -> Diagnostic {
    Diagnostic::new(&code::NUMBER, span, format!("`{year}` is not an edition"), "expected a year")
        .help("write `edition 2026`")
        .fix("write `2026`", false, span, "2026")
}

/// Quotes of another kind. `inside` is the quoted text, if the quotes are closed on the same line.
pub(super) fn quotes(span: Span, inside: Option<(Span, &str)>) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&code::FOREIGN, span, "texts are written in double quotes", "other quotes")
        .help("write `\"` on both sides");
    if let Some((inside, text)) = inside
        && !text.contains(['"', '\\'])
    {
        // One edit for each quote, so that spans inside the text stay exact.
        let quotes = [Span { end: inside.start, ..span }, Span { start: inside.end, ..span }];
        let edits = quotes.map(|span| TextEdit { span, text: "\"".to_owned() }).to_vec();
        diagnostic.fixes.push(Fix::new("write double quotes", true, edits));
    }
    diagnostic
}

/// An operator or a separator of another language, with what this language uses instead.
pub(super) fn foreign(symbol: &str, span: Span, text: &str) -> Option<Diagnostic> {
    let (instead, help) = match symbol {
        "=" => ("==", "write `==` to compare"),
        "&&" | "&" => ("and", "write `and`"),
        "||" | "|" => ("or", "write `or`"),
        "!" => ("not ", "write `not`"),
        "≥" | "=>" => (">=", "write `>=`"),
        "≤" | "=<" => ("<=", "write `<=`"),
        "≠" | "<>" => ("!=", "write `!=`"),
        "//" => ("#", "comments start with `#`"),
        ";" | "," => ("", "remove it: clauses and items need no separator"),
        ":" => ("", "remove it: keywords need no `:`"),
        "/*" => return Some(foreign_symbol(symbol, span, "comments start with `#` and end with the line")),
        "+" | "-" | "*" | "/" => {
            let help = "there is no arithmetic; write the result, or `80% of NAME`";
            return Some(foreign_symbol(symbol, span, help));
        }
        _ => return None,
    };
    let is_word = instead.chars().all(char::is_alphabetic) && !instead.is_empty();
    let bytes = text.as_bytes();
    let gap = |has_space: bool| if is_word && !has_space { " " } else { "" };
    let before = span.start == 0 || bytes[span.start as usize - 1].is_ascii_whitespace();
    let after = bytes.get(span.end as usize).is_none_or(u8::is_ascii_whitespace);
    let new = format!("{}{instead}{}", gap(before), gap(after));
    let title = if instead.is_empty() { format!("remove `{symbol}`") } else { format!("write `{}`", instead.trim()) };
    Some(foreign_symbol(symbol, span, help).fix(title, true, span, new))
}

/// The purpose of a policy after its base: `text` stands after the `gap`, and belongs to the `place` of `extends`.
pub(super) fn late_purpose(span: Span, place: Span, gap: Span, text: &str) -> Diagnostic {
    let message = "the purpose of a policy comes before `extends`";
    let edits = vec![
        TextEdit { span: place, text: format!("{text} ") },
        TextEdit { span: Span { end: span.end, ..gap }, text: String::new() },
    ];
    let mut finding = Diagnostic::new(&code::EXPECTED, span, message, "the base is the last part of the head");
    finding.fixes.push(Fix::new("move it before `extends`", true, edits));
    finding.help(format!("write `policy NAME {text} extends BASE {{`"))
}

/// A semicolon between two effects.
pub(super) fn semicolon(span: Span) -> Diagnostic {
    foreign_symbol(";", span, "write `then` between two effects").fix("write `then`", true, span, " then")
}

/// A comma or semicolon that could mean `and`, `then` or nothing.
pub(super) fn separator(symbol: &str, span: Span) -> Diagnostic {
    foreign_symbol(
        symbol,
        span,
        "join conditions with `and` and effects with `then`; write nothing between the parts of an effect",
    )
}

/// Carriage returns without a line feed, if there are any.
pub(super) fn line_ends(spans: &[Span]) -> Option<Diagnostic> {
    let first = *spans.first()?;
    let message = match spans.len() {
        1 => "carriage return without a line feed".to_owned(),
        count => format!("{count} carriage returns without a line feed"),
    };
    let edits = spans.iter().map(|span| TextEdit { span: *span, text: "\n".to_owned() }).collect();
    let mut finding = Diagnostic::new(&code::LINE_END, first, message, "no line feed follows")
        .help("save the file with line feeds as line endings");
    finding.fixes.push(Fix::new("write line feeds", true, edits));
    Some(finding)
}

/// A name with a hyphen.
pub(super) fn hyphen(span: Span, name: &str) -> Diagnostic {
    let instead = name.replace('-', "_");
    Diagnostic::new(&code::EXPECTED, span, format!("expected a name, found `{name}`"), "contains `-`")
        .help(format!("names consist of letters, digits and `_`: write `{instead}`"))
        .fix(format!("write `{instead}`"), false, span, instead)
}

/// A pattern of names without quotes.
pub(super) fn unquoted_pattern(span: Span, pattern: &str) -> Diagnostic {
    let quoted = format!("\"{pattern}\"");
    let at_end = pattern.find('*') == Some(pattern.len() - 1);
    let only = if at_end { "" } else { "; only a `*` at the end stands for the rest of a name" };
    let message = format!("pattern `{pattern}` without quotes");
    Diagnostic::new(&code::FOREIGN, span, message, "a name with `*` needs quotes here")
        .help(format!("write `{quoted}`{only}"))
        .fix(format!("write `{quoted}`"), at_end, span, quoted)
}

fn foreign_symbol(symbol: &str, span: Span, help: &str) -> Diagnostic {
    Diagnostic::new(&code::FOREIGN, span, format!("unexpected `{symbol}`"), "syntax of other languages").help(help)
}
