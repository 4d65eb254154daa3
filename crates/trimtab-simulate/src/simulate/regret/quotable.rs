//! Which names and lines are quotable: a model would hardly write them without having read them.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::runs::runs;

/// The minimum length of a name with an underscore, a digit or a change of case, in characters.
const MIN_NAME: usize = 8;
/// The minimum number of digits of a number. No name is shorter.
const MIN_NUMBER: usize = super::runs::SHORTEST;
/// The minimum length of a hexadecimal hash, in characters.
const MIN_HASH: usize = 7;
/// The minimum length of a name of words joined by hyphens, in characters.
const MIN_JOINED: usize = 12;
/// The minimum length of a line, in characters without whitespace.
const MIN_LINE: usize = 20;

/// The number of characters at the beginning of a line that are compared first.
const SHORT_START: usize = 6;

/// Stems of file names that many projects have.
const COMMON_FILES: &[&str] = &[
    "app",
    "cargo",
    "changelog",
    "config",
    "conftest",
    "index",
    "init",
    "lib",
    "license",
    "main",
    "makefile",
    "manage",
    "mod",
    "package",
    "package-lock",
    "pyproject",
    "readme",
    "requirements",
    "settings",
    "setup",
    "test",
    "tests",
    "tsconfig",
    "types",
    "utils",
];

/// Extensions that distinguish file names from other names with a dot.
const FILE_EXTENSIONS: &[&str] = &[
    "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "go", "gz", "h", "hpp", "html", "ini", "ipynb", "java", "jpg",
    "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "pdf", "php", "pl", "png", "py", "rb", "rs",
    "rst", "scala", "sh", "sql", "svg", "swift", "tar", "tex", "toml", "ts", "tsx", "txt", "xml", "yaml", "yml", "zip",
];

/// Reports the hash and the byte range of each quotable name of a text. Names that are not `wanted` may be left out, so that
/// most names of a long text are skipped early.
pub(super) fn names(text: &str, wanted: impl Fn(&[u8]) -> bool, mut found: impl FnMut(u64, Range<usize>)) {
    let bytes = text.as_bytes();
    runs(bytes, |run| {
        let Range { start, end } = run.place;
        match run.joins {
            Some(0) => {
                report_identifier(bytes, start..end, &wanted, &mut found);
            }
            Some(joined) => {
                let next_join = |at: usize| at + (joined >> (at - start)).trailing_zeros() as usize;
                report_name(bytes, start..end, next_join, &wanted, &mut found);
            }
            None => {
                let next_join = |at: usize| at + bytes[at..end].iter().take_while(|byte| !joins(**byte)).count();
                report_name(bytes, start..end, next_join, &wanted, &mut found);
            }
        }
    });
}

/// Reports the hash of each quotable line of a text. A line is compared without whitespace, backslashes, its line
/// number and its diff marker (`+`, `-` or `>`). Lines are left out if one of their [`line_starts`] is not `wanted`.
pub(super) fn lines(text: &str, wanted: impl Fn(u64) -> bool, mut found: impl FnMut(u64, &str)) {
    let has_backslash = memchr(b'\\', text.as_bytes()).is_some();
    let mut start = 0;
    for end in memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let line = text.get(start..end).unwrap_or_default();
        start = end + 1;
        // Most lines have no backslash.
        if !has_backslash || memchr(b'\\', line.as_bytes()).is_none() {
            report_line(line, &wanted, &mut found);
        } else {
            line.split("\\n").for_each(|line| report_line(line, &wanted, &mut found));
        }
    }
}

fn report_line(line: &str, wanted: &impl Fn(u64) -> bool, found: &mut impl FnMut(u64, &str)) {
    let line = trim_start(line);
    let line = match line.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'>') => trim_start(without_number(line)).trim_start_matches(['+', '-', '>']),
        _ => line,
    };
    let Some(short) = short_start(line).filter(|start| wanted(finish(*start))) else { return };
    let mut content = line_content(line);
    let start = start_of(content.by_ref().skip(SHORT_START), short, MIN_LINE - SHORT_START);
    if let Some(start) = start.filter(|start| wanted(finish(*start))) {
        found(finish(content.fold(start, step) ^ 1), line.trim());
    }
}

/// Two hashes of the beginning of a quotable line; `None` if it is too short. The first one distinguishes most lines.
pub(super) fn line_starts(line: &str) -> Option<[u64; 2]> {
    let short = short_start(line)?;
    let content = line_content(line).skip(SHORT_START);
    Some([short, start_of(content, short, MIN_LINE - SHORT_START)?].map(finish))
}

/// A hash of the first [`SHORT_START`] compared bytes of a line; `None` if there are fewer.
fn short_start(line: &str) -> Option<u64> {
    let hash_of = |bytes: &[u8; SHORT_START]| {
        let word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        (word ^ SEED).wrapping_mul(SPREAD)
    };
    let first = line.as_bytes().first_chunk().filter(|first| first.iter().all(|byte| is_compared(*byte)));
    first.map(hash_of).or_else(|| {
        let mut content = line_content(line);
        let mut bytes = [0; SHORT_START];
        for byte in &mut bytes {
            *byte = content.next()?;
        }
        Some(hash_of(&bytes))
    })
}

/// Continues a hash with a number of bytes; `None` if there are fewer.
fn start_of(mut content: impl Iterator<Item = u8>, hash: u64, bytes: usize) -> Option<u64> {
    (0..bytes).try_fold(hash, |hash, _| Some(step(hash, content.next()?)))
}

/// Whether a byte of a line is compared.
const fn is_compared(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && byte != b'\\'
}

/// The bytes of a line that are compared.
fn line_content(line: &str) -> impl Iterator<Item = u8> {
    line.bytes().filter(|byte| is_compared(*byte))
}

/// Whether a byte of a name joins identifiers: `-`, `.` or `@`. All other bytes of names are part of identifiers.
const fn joins(byte: u8) -> bool {
    byte < b'0' || byte == b'@'
}

/// Reports the identifiers of a name that are quotable by themselves, or else the whole name if that is. `next_join` returns
/// the index of the next byte that joins identifiers, at or after an index.
fn report_name(
    bytes: &[u8],
    name: Range<usize>,
    next_join: impl Fn(usize) -> usize,
    wanted: &impl Fn(&[u8]) -> bool,
    found: &mut impl FnMut(u64, Range<usize>),
) {
    let whole = trimmed(bytes, name.clone(), joins);
    let wants_whole = wanted(&bytes[whole.clone()]);
    let (mut at, mut any) = (name.start, false);
    while at < name.end {
        let end = next_join(at).min(name.end);
        // If the whole name is wanted, it matters whether any part of it is quotable.
        any |= report_identifier(bytes, at..end, &|identifier| wants_whole || wanted(identifier), found);
        at = end + 1;
    }
    if wants_whole && !any && is_joined(&bytes[whole.clone()]) {
        found(hash(&bytes[whole.clone()]), whole);
    }
}

/// Reports an identifier if it is wanted and quotable by itself, and returns whether it is.
fn report_identifier(
    bytes: &[u8],
    identifier: Range<usize>,
    wanted: &impl Fn(&[u8]) -> bool,
    found: &mut impl FnMut(u64, Range<usize>),
) -> bool {
    if identifier.len() < MIN_NUMBER {
        return false;
    }
    // Few identifiers have a `_` at an end.
    let has_edge = bytes[identifier.start] == b'_' || bytes[identifier.end - 1] == b'_';
    let identifier = if has_edge { trimmed(bytes, identifier, |byte| byte == b'_') } else { identifier };
    let text = &bytes[identifier.clone()];
    let is_found = wanted(text) && is_distinctive(text);
    if is_found {
        found(hash(text), identifier);
    }
    is_found
}

fn trimmed(bytes: &[u8], range: Range<usize>, is_edge: impl Fn(u8) -> bool) -> Range<usize> {
    let start = range.start + bytes[range.clone()].iter().take_while(|byte| is_edge(**byte)).count();
    let after = bytes[start..range.end].iter().rev().take_while(|byte| is_edge(**byte)).count();
    start..range.end - after
}

/// Whether an identifier is no common word: it has an underscore, a digit or a change of case, or is a number or a hash.
fn is_distinctive(identifier: &[u8]) -> bool {
    if identifier.len() < MIN_NUMBER {
        return false;
    }
    let digits = identifier.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == identifier.len() {
        return !identifier.ends_with(b"000");
    }
    let has_number = || longest_run(identifier, u8::is_ascii_digit) >= MIN_NUMBER;
    let changes_case =
        || identifier.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_hash = || identifier.len() >= MIN_HASH && digits >= 2 && identifier.iter().all(u8::is_ascii_hexdigit);
    identifier.len() >= MIN_NAME && (digits > 0 || identifier.contains(&b'_') || changes_case())
        || digits >= MIN_NUMBER && has_number()
        || is_hash()
}

fn longest_run(bytes: &[u8], is_in: impl Fn(&u8) -> bool) -> usize {
    bytes.split(|byte| !is_in(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

/// Whether a name is one of several words: an e-mail address, the name of a file, or words joined by hyphens.
fn is_joined(name: &[u8]) -> bool {
    let letters = name.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if letters < 4 || name.len() == letters {
        return false;
    }
    let hyphens = name.split(|byte| *byte == b'-').count() - 1;
    name.contains(&b'@') && name.len() >= MIN_NAME || hyphens >= 2 && name.len() >= MIN_JOINED || is_file(name)
}

fn is_file(name: &[u8]) -> bool {
    let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return false };
    let (stem, ending) = (&name[..dot], &name[dot + 1..]);
    let is_in = |words: &[&str], text: &[u8]| words.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(text));
    is_in(FILE_EXTENSIONS, ending) && !is_in(COMMON_FILES, stem)
}

/// A line without the white space before it, which mostly is ASCII.
fn trim_start(line: &str) -> &str {
    let indent = line.bytes().take_while(u8::is_ascii_whitespace).count();
    let rest = line.get(indent..).unwrap_or_default();
    if rest.as_bytes().first().is_some_and(u8::is_ascii_graphic) { rest } else { rest.trim_start() }
}

/// A line, which begins with no white space, without the number that tools print before it.
fn without_number(line: &str) -> &str {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let separator = match &line.as_bytes()[digits..] {
        _ if digits == 0 => 0,
        [b'\\', b't', ..] | [b':', b' ', ..] => 2,
        [b'\t' | b'|' | b':', ..] => 1,
        text if text.starts_with("→".as_bytes()) => "→".len(),
        _ => return line,
    };
    line.get(digits + separator..).unwrap_or(line)
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

const fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3)
}

const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads a hash over all bits.
const fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(SPREAD);
    hash ^ (hash >> 29)
}

fn hash(bytes: &[u8]) -> u64 {
    finish(bytes.iter().fold(SEED, |hash, byte| step(hash, *byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        names(text, |_| true, |_, place| all.extend(text.get(place)));
        all
    }

    #[test]
    fn identifiers_numbers_hashes_and_files_are_quotable() {
        let text =
            "fix parse_header() in src/net/reader.rs:120, see HttpHeader, user_id 48213 at 3f9a2c1 by ann@example.com";
        assert_eq!(found(text), ["parse_header", "reader.rs", "HttpHeader", "48213", "3f9a2c1", "ann@example.com"]);
        assert_eq!(
            found("order #W2378156, release-notes-draft, /tmp/run-20260713/log"),
            ["W2378156", "release-notes-draft", "20260713"]
        );
    }

    #[test]
    fn common_words_are_not_quotable() {
        let text = "Run the tests in main.rs, README.md and package.json again: step 12 of 2026-07-13, at most 20000 GitHub \
                    __init__ os.path.join end-to-end utf8 3.14.159";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn names_are_the_same_in_text_and_in_json_inside_a_text() {
        assert_eq!(
            found(r#"{\"a\":\"first_name\",\n\"second_name\":\t1}\nthird_name"#),
            ["first_name", "second_name", "third_name"]
        );
    }

    #[test]
    fn a_line_is_the_same_with_number_sign_and_indentation() {
        let hashes = |text: &str| {
            let mut all = Vec::new();
            lines(text, |_| true, |hash, _| all.push(hash));
            all
        };
        let plain = hashes("return parse(header, body, 12)");
        assert_eq!(plain.len(), 1);
        for text in [
            "   12→    return parse(header, body, 12)",
            "-\treturn parse(header,  body, 12)",
            "7: return parse(header, body, 12)\n}",
            "7:return parse(header, body, 12)",
            " 130\treturn parse(header, body, 12)",
            "130\\treturn parse(header, body, 12)",
            "9| + return parse(header, body, 12)",
            "\u{a0}\u{3000}12→\u{a0}> return parse(header, body, 12)",
        ] {
            assert_eq!(hashes(text), plain, "{text}");
        }
        assert_eq!(hashes("return parse(header, body, 13)").len(), 1);
        assert_ne!(hashes("return parse(header, body, 13)"), plain);
        assert!(hashes("return 1").is_empty());
    }
}
