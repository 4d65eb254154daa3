//! Escapes Markdown and writes tables.

use std::collections::HashMap;
use std::ops::Range;

use trimtab_base::source::sanitize;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// A table whose cells are Markdown already: see [`escape`] and [`code`].
pub(super) struct Table {
    text: String,
    rows: usize,
}

impl Table {
    pub(super) fn new<'h>(head: impl IntoIterator<Item = (&'h str, Align)>) -> Self {
        let (names, rules): (Vec<String>, Vec<String>) = head
            .into_iter()
            .map(|(name, align)| (name.to_owned(), if align == Align::Left { "---" } else { "---:" }.to_owned()))
            .unzip();
        Self { text: line(&names) + &line(&rules), rows: 0 }
    }

    pub(super) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.text += &line(&cells.into_iter().collect::<Vec<_>>());
        self.rows += 1;
    }

    /// Returns the table, or `None` if it has no rows.
    pub(super) fn unless_empty(self) -> Option<String> {
        (self.rows > 0).then_some(self.text)
    }

    /// The table with or without rows.
    pub(super) fn text(self) -> String {
        self.text
    }
}

fn line<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell_text(cell.as_ref())).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A cell whose pipes do not end it: a pipe in a table is escaped in code, too.
fn cell_text(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    let mut backslashes = 0;
    for char in cell.chars() {
        // An odd number of backslashes escapes the pipe already.
        if char == '|' && backslashes % 2 == 0 {
            out.push('\\');
        }
        backslashes = if char == '\\' { backslashes + 1 } else { 0 };
        out.push(char);
    }
    out
}

/// A collapsed section (`<details>`).
pub(super) fn folded(summary: &str, content: &str) -> String {
    format!(
        "\n<details>\n<summary>{summary}</summary>\n\n{}\n</details>\n",
        content.trim_matches('\n').to_owned() + "\n"
    )
}

/// Several lines in one cell.
pub(super) fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> String {
    let lines: Vec<T> = lines.into_iter().collect();
    let has_formula = lines.iter().any(|line| has_formula(line.as_ref()));
    lines.iter().map(|line| escape_beside(line.as_ref(), has_formula)).collect::<Vec<_>>().join("<br>")
}

/// Text as code, for a cell or a sentence.
pub(super) fn code(text: &str) -> String {
    let text = sanitize::one_line(text);
    let longest = runs(&text).iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One blank at each end is not part of the code.
    let touches = text.starts_with('`') || text.ends_with('`');
    let is_stripped = text.starts_with(' ') && text.ends_with(' ') && !text.trim_matches(' ').is_empty();
    match text.as_str() {
        "" => "` `".to_owned(),
        _ if touches || is_stripped => format!("{fence} {text} {fence}"),
        _ => format!("{fence}{text}{fence}"),
    }
}

/// A block of preformatted text, fenced so that no line of it can end the block.
pub(super) fn block(language: &str, text: &str) -> String {
    // A carriage return ends a line of Markdown.
    let text = text.replace("\r\n", "\n").replace('\r', "\u{fffd}");
    let longest = runs(&text).iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// Text for a cell or a sentence. Code spans stay code; everything else is literal, and words that a viewer would make a link,
/// a mention, a reference, a formula or an emoji are code, because an escape does not prevent that.
pub(super) fn escape(text: &str) -> String {
    escape_beside(text, has_formula(text))
}

/// The same for a text that may be beside others with dollar signs that are not prices: a price would begin a formula there.
fn escape_beside(text: &str, has_formula: bool) -> String {
    let text: String = text.chars().map(|char| if "\n\r\t".contains(char) { ' ' } else { char }).collect();
    let mut out = String::with_capacity(text.len());
    let mut pending = String::new();
    // Deep indentation would begin a block of code.
    for piece in pieces(text.trim_start_matches(' '), has_formula) {
        match piece {
            Inline::Code(code) => pending += code,
            Inline::Text(text) => {
                flush(&mut pending, &mut out);
                let is_start = out.is_empty();
                push_literal(&mut out, text, is_start);
            }
        }
    }
    flush(&mut pending, &mut out);
    out
}

/// Appends adjacent code as one span.
fn flush(pending: &mut String, out: &mut String) {
    if !pending.is_empty() {
        *out += &code(pending);
        pending.clear();
    }
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inline<'a> {
    Code(&'a str),
    Text(&'a str),
}

/// The code spans of a text, as `CommonMark` finds them, its active words, and what is between them.
fn pieces(text: &str, has_formula: bool) -> Vec<Inline<'_>> {
    let runs = runs(text);
    // For each run of backticks the next one of the same length.
    let mut next = vec![None; runs.len()];
    let mut last = HashMap::new();
    for (at, run) in runs.iter().enumerate().rev() {
        next[at] = last.insert(run.len(), at);
    }
    let (mut pieces, mut done, mut at) = (Vec::new(), 0, 0);
    while let Some(run) = runs.get(at) {
        match next[at] {
            Some(end) => {
                pieces.extend(words(text.get(done..run.start).unwrap_or_default(), has_formula));
                let code = text.get(run.end..runs[end].start).unwrap_or_default();
                pieces.push(Inline::Code(stripped(code)));
                done = runs[end].end;
                at = end + 1;
            }
            None => at += 1,
        }
    }
    pieces.extend(words(text.get(done..).unwrap_or_default(), has_formula));
    pieces
}

/// The runs of backticks in a text.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end += 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}

/// The content of a code span without the blanks that separate it from its backticks.
fn stripped(code: &str) -> &str {
    let bare = code.strip_prefix(' ').and_then(|rest| rest.strip_suffix(' '));
    bare.filter(|bare| !bare.trim_matches(' ').is_empty()).unwrap_or(code)
}

/// Text whose active words are code.
fn words(text: &str, has_formula: bool) -> impl Iterator<Item = Inline<'_>> {
    text.split_inclusive(' ').flat_map(move |word| {
        let bare = word.trim_end_matches(' ');
        let blank = word.get(bare.len()..).unwrap_or_default();
        let parts = if is_active(bare) || has_formula && bare.contains('$') {
            [Inline::Code(bare), Inline::Text(blank)]
        } else {
            [Inline::Text(word), Inline::Text("")]
        };
        parts.into_iter().filter(|part| *part != Inline::Text(""))
    })
}

/// Whether GitHub or GitLab turn a word into a link, mention, reference or emoji even if its punctuation is escaped: they search
/// the rendered text for addresses, mentions (`@name`), issues (`#1`, `GH-1`, `!1`) and emoji (`:name:`).
fn is_active(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let before = |marker: &str, is: fn(char) -> bool| {
        lower
            .match_indices(marker)
            .any(|(at, _)| lower.get(at + marker.len()..).is_some_and(|rest| rest.starts_with(is)))
    };
    ["://", "www.", "mailto:", "xmpp:"].iter().any(|address| lower.contains(address))
        || (word.contains('@') && word.contains(char::is_alphanumeric))
        || ["#", "!", "gh-"].iter().any(|marker| before(marker, |char| char.is_ascii_digit()))
        || has_emoji(&lower)
}

/// Whether a text has a dollar that does not begin a price.
fn has_formula(text: &str) -> bool {
    let mut after = text.match_indices('$').map(|(at, _)| text.get(at + 1..).and_then(|rest| rest.chars().next()));
    after.any(|next| next.is_none_or(|next| !next.is_ascii_digit()))
}

/// Whether a word has the name of an emoji between colons. Numbers are not names, with two exceptions.
fn has_emoji(word: &str) -> bool {
    let is_name = |name: &&str| {
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte));
        is_word && (name.bytes().any(|byte| !byte.is_ascii_digit()) || ["100", "1234"].contains(name))
    };
    let parts: Vec<&str> = word.split(':').collect();
    parts.get(1..parts.len().saturating_sub(1)).is_some_and(|names| names.iter().any(is_name))
}

/// Appends text whose markup is escaped. At the start of a line it begins no list, quote, heading or command.
fn push_literal(out: &mut String, text: &str, is_start: bool) {
    let begins = is_start.then(|| block_marker(text)).flatten();
    for (at, char) in text.char_indices() {
        match char {
            '<' => *out += "&lt;",
            '&' => *out += "&amp;",
            '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' | '|' => {
                out.push('\\');
                out.push(char);
            }
            other => {
                out.extend((begins == Some(at)).then_some('\\'));
                out.push(other);
            }
        }
    }
}

/// The position of the character that would begin a block or, in a comment on GitLab, a command.
fn block_marker(text: &str) -> Option<usize> {
    let bare = text.trim_start_matches(' ');
    let at = text.len() - bare.len();
    let mut chars = bare.chars();
    match (chars.next()?, chars.next()) {
        ('>' | '/', _) => Some(at),
        ('-' | '+' | '=', next) => next.is_none_or(|next| !next.is_alphanumeric()).then_some(at),
        _ => {
            let rest = bare.trim_start_matches(|char: char| char.is_ascii_digit());
            let is_item = rest.len() < bare.len() && rest.starts_with(['.', ')']);
            let next = rest.chars().nth(1);
            (is_item && next.is_none_or(|next| next == ' ')).then(|| text.len() - rest.len())
        }
    }
}

#[cfg(test)]
mod tests;
