//! The last step of every output. Replaces or escapes characters that the output format cannot contain, that a reader would
//! not see, or that control a terminal or a CI system.
//!
//! Formats and the console pass each text through [`Encoding::finish`], so renderers insert untrusted text as it is. They
//! only decide where lines end.

use std::borrow::Cow;
use std::fmt::{self, Display, Write as _};
use std::ops::Deref;

use serde::Serialize;
use trimtab_base::source::sanitize::{REPLACEMENT, replaced, unsafe_chars};

use super::style::{self, MarkKind};

/// How an output writes characters that a reader would not see or that would act on what displays them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text for people, also in a log: they are replaced, and only the styles of the program become escape sequences.
    Text,
    /// JSON, or a part of it: they are escaped.
    Json,
    /// XML, or a part of its text: they are character references.
    Xml,
    /// Data for a file or a program: they are kept.
    Data,
}

/// An output in its final form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    text: String,
    /// Whether the text is data that is not for a terminal.
    is_data: bool,
}

impl Encoding {
    /// The final form of a text.
    pub fn finish(self, text: impl Into<String>) -> Rendered {
        let text = text.into();
        match self {
            Self::Text => Rendered { text: printable(&text), is_data: false },
            Self::Json => Rendered { text: json(text), is_data: false },
            Self::Xml => Rendered { text: xml(text), is_data: false },
            Self::Data => Rendered { text, is_data: true },
        }
    }
}

impl Rendered {
    /// The text as a terminal may print it.
    pub fn for_terminal(&self) -> Cow<'_, str> {
        if self.is_data { printable(&self.text).into() } else { self.text.as_str().into() }
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.text
    }
}

/// Converts with [`Encoding::Text`].
impl<T: AsRef<str> + ?Sized> From<&T> for Rendered {
    fn from(text: &T) -> Self {
        Encoding::Text.finish(text.as_ref())
    }
}

impl Deref for Rendered {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Display for Rendered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// How a workflow command of GitHub begins.
const COMMAND_PREFIX: &str = "::";

/// A text for a terminal or a log: a line that looks like a workflow command is defused unless the program marked it as one.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = out.len();
        let command = style::mark(line).filter(|mark| mark.kind == MarkKind::Command);
        push_line(&mut out, line.get(command.map_or(0, |mark| mark.length)..).unwrap_or_default());
        let bare = out.get(start..).unwrap_or_default().trim_start();
        if command.is_none() && is_command(bare) {
            out.insert(out.len() - bare.len(), REPLACEMENT);
        }
    }
    out
}

/// Whether GitHub reads a line without its indentation as a command.
fn is_command(line: &str) -> bool {
    line.strip_prefix(COMMAND_PREFIX).is_some_and(|name| name.starts_with(|char: char| char.is_ascii_alphabetic()))
}

fn push_line(out: &mut String, line: &str) {
    let line = without_commands(line, &format!("{REPLACEMENT}["));
    let mut done = 0;
    for (at, char) in unsafe_chars(&line) {
        // The characters of a mark have been passed.
        if at < done {
            continue;
        }
        let rest = line.get(at..).unwrap_or_default();
        *out += line.get(done..at).unwrap_or_default();
        done = at + char.len_utf8();
        match style::mark(rest) {
            Some(style::Mark { kind: MarkKind::Style(code), length }) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\u{1b}[{code}m");
                done = at + length;
            }
            _ if matches!(char, '\n' | '\t') || rest.starts_with("\r\n") => out.push(char),
            _ => out.push(REPLACEMENT),
        }
    }
    *out += line.get(done..).unwrap_or_default();
}

/// A text without the commands that CI systems read anywhere in a line, such as `##[error]` and `##vso[task.complete]`.
fn without_commands<'a>(text: &'a str, bracket: &str) -> Cow<'a, str> {
    let mut pieces = text.split("##");
    let Some(first) = pieces.next().filter(|first| first.len() < text.len()) else { return text.into() };
    let mut out = first.to_owned();
    for piece in pieces {
        let name = piece.trim_start_matches(|char: char| char.is_ascii_alphabetic() || char == '#');
        out += "##";
        match name.strip_prefix('[') {
            Some(rest) => {
                out += piece.get(..piece.len() - name.len()).unwrap_or_default();
                out += bracket;
                out += rest;
            }
            None => out += piece,
        }
    }
    out.into()
}

/// JSON whose strings have no unsafe characters. Outside strings JSON is ASCII without control characters.
fn json(text: String) -> String {
    let escape = |out: &mut String, _: usize, char: char| match char {
        // Layout between values; in a string they are escaped already.
        '\n' | '\r' | '\t' => out.push(char),
        char => {
            for unit in char.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    };
    let text = owned_if_changed(replaced(&text, escape)).unwrap_or(text);
    owned_if_changed(without_commands(&text, "\\u005b")).unwrap_or(text)
}

/// XML whose text has no unsafe characters and no line that is a command.
fn xml(text: String) -> String {
    let escape = |out: &mut String, _: usize, char: char| match char {
        '\n' | '\r' | '\t' => out.push(char),
        // XML 1.0 has no way to write these.
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push(REPLACEMENT),
        char => {
            let _ = write!(out, "&#x{:x};", u32::from(char));
        }
    };
    let text = owned_if_changed(replaced(&text, escape)).unwrap_or(text);
    let text = owned_if_changed(without_commands(&text, "&#91;")).unwrap_or(text);
    let command = |line: &str| match line.trim_start() {
        bare if is_command(bare) => line.replacen(COMMAND_PREFIX, "&#58;:", 1),
        _ => line.to_owned(),
    };
    if text.contains(COMMAND_PREFIX) { text.split_inclusive('\n').map(command).collect() } else { text }
}

fn owned_if_changed(text: Cow<'_, str>) -> Option<String> {
    if let Cow::Owned(text) = text { Some(text) } else { None }
}

/// A value as indented JSON, with a line break at the end.
pub(super) fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::style::TerminalStyle;
    use super::*;

    const STYLE: TerminalStyle = TerminalStyle { width: 80, color: true, unicode: true };

    fn text(text: &str) -> String {
        Encoding::Text.finish(text).into_string()
    }

    #[test]
    fn only_styles_of_the_program_become_escape_sequences() {
        let painted = STYLE.failure("a\u{1b}[31mb\u{1b}[0m");
        assert_eq!(text(&painted), "\u{1b}[31ma\u{fffd}[31mb\u{fffd}[0m\u{1b}[0m");
        for forged in ["\u{1b}[1m", "\u{1b}[1;0m", "\u{1b}[1;31;1234567m", "\u{1b}]8;;https://x\u{7}", "\u{1b}["] {
            assert_eq!(text(forged), forged.replace(['\u{1b}', '\u{7}'], "\u{fffd}"));
        }
        assert_eq!(text("a\r\nb\tc\rd"), "a\r\nb\tc\u{fffd}d");
    }

    #[test]
    fn text_contains_no_ci_commands() {
        assert_eq!(text("a ::error::b\n  ::warning::c\n ::: d"), "a ::error::b\n  \u{fffd}::warning::c\n ::: d");
        assert_eq!(
            text("##[error]a ##vso[x]b ###[c] ## [d]"),
            "##\u{fffd}[error]a ##vso\u{fffd}[x]b ###\u{fffd}[c] ## [d]"
        );
        assert_eq!(text(&style::command("::notice::a\n")), "::notice::a\n");
    }

    #[test]
    fn json_keeps_its_data() {
        let value =
            serde_json::json!({ "a": "\u{7f}\u{9b}\u{202e}\u{e0041}\u{1b}\n\u{200b}b ##[error]", "b": "👩\u{200d}💻" });
        let text = Encoding::Json.finish(format!("{value:#}\n"));
        assert!(
            !text.contains(['\u{7f}', '\u{9b}', '\u{202e}', '\u{e0041}', '\u{200b}']) && !text.contains("##["),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
    }

    #[test]
    fn xml_has_references_for_what_it_can_contain() {
        let text = Encoding::Xml.finish("<a>\u{1b}\u{202e}\n::error::\n##[x]</a>");
        assert_eq!(&*text, "<a>\u{fffd}&#x202e;\n&#58;:error::\n##&#91;x]</a>");
    }
}
