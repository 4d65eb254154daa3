//! Diagnostics: a message with location, severity, notes, help and fixes.
//!
//! Each stage builds its diagnostics in its `error` module, as plain data for every output format.
//! This module contains no message of a stage and does not draw diagnostics.

mod code;

use serde::Serialize;

use crate::source::Span;

pub use code::Code;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The policy cannot be used.
    Error,
    /// The policy can be used, but probably does not do what its author intends.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// All of them, the gravest first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Info];

    /// The word for it in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// A span with a short text about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// The text.
    pub message: String,
}

/// One replacement of text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextEdit {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A suggested change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an imperative: `write a percentage`.
    pub title: String,
    /// Whether it can be applied without review.
    pub safe: bool,
    /// The replacements, which do not overlap.
    pub edits: Vec<TextEdit>,
    /// Text outside the edits on which the fix depends: fixes that change it are not applied together with this one.
    pub depends_on: Vec<Span>,
}

impl Fix {
    /// A fix that depends only on the text of its edits and of its finding.
    pub fn new(title: impl Into<String>, safe: bool, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), safe, edits, depends_on: Vec::new() }
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The kind of finding.
    pub code: &'static Code,
    /// The severity.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop, the author's text in backticks.
    pub message: String,
    /// The location of the problem.
    pub primary: Label,
    /// Other locations that explain it.
    pub labels: Vec<Label>,
    /// Reasons and consequences: sentences after the message.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// Suggested changes, the best first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A finding of a kind at a span; `here` is the text of its label.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>, here: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            message: message.into(),
            primary: Label { span, message: here.into() },
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            fixes: Vec::new(),
        }
    }

    /// Adds a label.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a reason or a consequence.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a fix that replaces the text of `span`.
    pub fn fix(mut self, title: impl Into<String>, safe: bool, span: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Fix::new(title, safe, vec![TextEdit { span, text: text.into() }]));
        self
    }
}

/// Sorts findings by location, then by code, and removes duplicates.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    let key = |finding: &Diagnostic| {
        (finding.primary.span.source, finding.primary.span.start, finding.primary.span.end, finding.code.id)
    };
    diagnostics.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message)));
    diagnostics.dedup_by(|a, b| key(a) == key(b) && a.message == b.message);
}

/// The candidate nearest to a misspelt word, if it is near enough to be intended.
///
/// The maximum edit distance grows with the length: 0 for one or two characters, 3 for long words.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(word, candidate)?, candidate)))
        .min()
        .map(|(_, near)| near)
}

/// The edit distance between a word and a candidate; `None` if it is too large.
fn distance(word: &str, candidate: &str) -> Option<usize> {
    if word.eq_ignore_ascii_case(candidate) {
        return Some(0);
    }
    let (length, other) = (word.chars().count(), candidate.chars().count());
    let most = match length.min(other) {
        0..=2 => return None,
        _ => (length.max(other) / 3).clamp(1, 3),
    };
    // Words of very different lengths are not compared.
    let near = (length.abs_diff(other) <= most).then(|| strsim::damerau_levenshtein(word, candidate))?;
    (near <= most).then_some(near)
}

/// Formats alternatives: `a`, `a or b`, `a, b or c`; at most five, then the number of others.
pub fn alternatives<S: AsRef<str>>(words: &[S]) -> String {
    const MAX_LISTED: usize = 5;
    let quoted: Vec<String> = words.iter().take(MAX_LISTED).map(|word| format!("`{}`", word.as_ref())).collect();
    let rest = words.len().saturating_sub(MAX_LISTED);
    match (quoted.as_slice(), rest) {
        ([], _) => String::new(),
        ([only], _) => only.clone(),
        ([first @ .., last], 0) => format!("{} or {last}", first.join(", ")),
        (all, rest) => format!("{} and {rest} more", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_suggested_if_it_is_near() {
        assert_eq!(nearest("maks", ["mask", "trim"]), Some("mask"));
        assert_eq!(nearest("contxt.ratio", ["context.ratio", "reported.ratio"]), Some("context.ratio"));
        assert_eq!(nearest("zebra", ["mask", "trim"]), None);
        assert_eq!(nearest("MASK", ["mask", "trim"]), Some("mask"));
        assert_eq!(nearest("context.turns", ["context.ratio"]), None);
    }

    #[test]
    fn a_short_name_is_not_suggested_for_another() {
        for (word, candidate) in [("z", "a"), ("z", "ab"), ("a1", "a2"), ("", "a"), ("abc", "xbz")] {
            assert_eq!(nearest(word, [candidate]), None, "{word} {candidate}");
        }
        assert_eq!(nearest("A", ["a", "b"]), Some("a"));
        assert_eq!(nearest("usr", ["use"]), Some("use"));
    }

    #[test]
    fn at_most_five_alternatives_are_listed() {
        assert_eq!(alternatives(&["a"]), "`a`");
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(alternatives(&["a", "b", "c", "d", "e", "f", "g"]), "`a`, `b`, `c`, `d`, `e` and 2 more");
    }
}
