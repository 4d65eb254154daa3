//! Secret values on lines below their names: in YAML block scalars, lists and secrets of Kubernetes, and in strings of
//! several lines.

use std::ops::Range;

use super::secret_name::{SecretName, secret_name};
use super::value::may_be_value;

/// Opening and closing quotes of strings of several lines.
const MULTI_LINE: [&str; 2] = ["\"\"\"", "'''"];
/// The maps of a secret of Kubernetes.
const SECRET_MAPS: &[&str] = &["data", "stringData"];

/// A line without its margin.
struct Line<'t> {
    /// Where the content begins in the text.
    start: usize,
    /// The width of the indentation.
    column: usize,
    content: &'t str,
}

/// What the lines below another are, if they are indented more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Nothing,
    /// The text of a block scalar.
    Scalar(usize),
    /// Items of a list, or one value.
    Items(usize),
    /// Pairs of names and secret values.
    Pairs(usize),
    /// A string up to these quotes.
    Quoted(&'static str),
}

/// The secret values on lines below their names.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let is_secret = ["kind: Secret", "kind\": \"Secret"].iter().any(|kind| text.contains(kind));
    let (mut found, mut below) = (Vec::new(), Below::Nothing);
    for line in lines(text) {
        if let Below::Quoted(quotes) = below {
            let end = line.content.find(quotes);
            found.push(line.start..line.start + end.unwrap_or(line.content.len()));
            below = if end.is_some() { Below::Nothing } else { below };
            continue;
        }
        if line.content.is_empty() {
            continue;
        }
        match value(&line, below) {
            Content::Secret(range) => found.push(range),
            Content::Other => {}
            Content::Above => below = expected_below(&line, is_secret),
        }
    }
    found
}

/// The lines of a text, also of one whose line ends are escaped, without the numbers and the marks of a diff before them.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let rest = text.get(done..).filter(|rest| !rest.is_empty())?;
        let bytes = rest.as_bytes();
        let is_end = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\\' && bytes.get(at + 1) == Some(&b'n');
        let end = (0..bytes.len()).find(is_end).unwrap_or(bytes.len());
        let line = rest.get(..end)?;
        let length = end + if bytes.get(end) == Some(&b'\\') { 2 } else { 1 };
        let start = done;
        done += length.min(rest.len());
        let margin = margin(line);
        let content = line.get(margin..)?;
        let column = content.len() - content.trim_start_matches(' ').len();
        Some(Line { start: start + margin + column, column, content: content.trim().trim_end_matches('\\') })
    })
}

/// The length of a line number or a mark of a diff before a line.
fn margin(line: &str) -> usize {
    let blank = line.len() - line.trim_start_matches(' ').len();
    let rest = line.get(blank..).unwrap_or_default();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = rest.get(digits..).and_then(|rest| rest.chars().next());
    match after {
        Some(mark @ ('→' | ':' | '|' | '\t')) if digits > 0 => blank + digits + mark.len_utf8(),
        Some('+' | '-') if digits == 0 && blank == 0 && !rest.starts_with("- ") => 1,
        _ => 0,
    }
}

/// What a line is, given those above it.
enum Content {
    /// It belongs to the line above and has a secret.
    Secret(Range<usize>),
    /// It belongs to the line above and has none.
    Other,
    /// It does not belong to the line above.
    Above,
}

fn value(line: &Line, below: Below) -> Content {
    let end = line.start + line.content.len();
    match below {
        Below::Scalar(column) if line.column > column => Content::Secret(line.start..end),
        Below::Items(column) if line.column >= column => {
            let item = line.content.strip_prefix("- ");
            let value = item.unwrap_or(line.content).trim();
            let is_plain = !value.contains([':', '{', '[', '(', ' ', '=', '<']) && secret_name(value).is_none();
            let is_item = (item.is_some() || line.column > column) && is_plain && may_be_value(value);
            if is_item { Content::Secret(end - value.len()..end) } else { Content::Above }
        }
        Below::Pairs(column) if line.column > column => {
            let value = line.content.split_once(": ").map_or("", |(_, value)| value.trim());
            if may_be_value(value) { Content::Secret(end - value.len()..end) } else { Content::Other }
        }
        _ => Content::Above,
    }
}

/// What a line says of those below it.
fn expected_below(line: &Line, is_secret: bool) -> Below {
    let item = line.content.trim_start_matches("- ");
    let column = line.column + line.content.len() - item.len();
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-.\"'".contains(char);
    let length = item.find(|char| !is_part(char)).unwrap_or(item.len());
    let (name, rest) = item.split_at_checked(length).unwrap_or((item, ""));
    let (name, rest) = (name.trim_matches(['"', '\'']), rest.trim());
    if is_secret && SECRET_MAPS.contains(&name) && rest == ":" {
        return Below::Pairs(column);
    }
    if secret_name(name) == Some(SecretName::Sure) && rest == ":" {
        return Below::Items(column);
    }
    let is_secret = |name: &str| secret_name(last_part(name)).is_some_and(|secret| secret > SecretName::Possible);
    let block = item.rsplit_once(':').filter(|(name, block)| is_block(block.trim()) && is_secret(name));
    if let Some((key, _)) = block {
        // The key of a block is the whole line, unless the line is a quoted text that begins with another.
        return Below::Scalar(if key.trim_matches(['"', '\'']).len() == last_part(key).len() {
            column
        } else {
            line.column
        });
    }
    let opens = |quotes: &&str| {
        let before = item.strip_suffix(*quotes).unwrap_or_default().trim_end();
        before.strip_suffix(['=', ':']).is_some_and(|name| is_secret(name.trim_end()))
    };
    MULTI_LINE.into_iter().find(opens).map_or(Below::Nothing, Below::Quoted)
}

/// The last name in a text.
fn last_part(text: &str) -> &str {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
    let text = text.trim_matches(['"', '\'']);
    text.rsplit(|char| !is_part(char)).next().unwrap_or(text)
}

/// Whether this begins a block scalar: `|` or `>`, with indicators and a comment.
fn is_block(text: &str) -> bool {
    let indicators = text.split('#').next().unwrap_or(text).trim();
    indicators.starts_with(['|', '>'])
        && indicators.chars().skip(1).all(|char| "+-".contains(char) || char.is_ascii_digit())
}
