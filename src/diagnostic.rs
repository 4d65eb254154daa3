//! Messages to people: what is wrong, where, why, and a way out.
//!
//! In: what a stage has found. Out: plain data that every output form reads.
//! It does not know how a message is drawn, and holds no text of any stage: those stand in the stage's `error.rs`.

use serde::Serialize;

use crate::source::Span;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The policy cannot be used.
    Error,
    /// It can be used, and probably does not do what its author wants.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// A kind of finding, with what `explain` says of it. A code is never reused.
#[derive(Debug)]
pub struct Code {
    /// The stable id, such as `E301`; the hundreds name the stage.
    pub id: &'static str,
    /// How much a finding matters unless a setting says otherwise.
    pub severity: Severity,
    /// A few words, such as `number without a unit`.
    pub title: &'static str,
    /// Why this is a finding, in a few sentences.
    pub why: &'static str,
    /// A policy text that gives it; tests run it.
    pub wrong: &'static str,
    /// The same text set right; tests run it.
    pub right: &'static str,
}

/// A place with what is there, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is here.
    pub message: String,
}

/// One replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A suggested change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: `write a percentage`.
    pub title: String,
    /// Whether it can be applied without a person looking at it.
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
    /// What kind of finding.
    pub code: &'static Code,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop, the author's text in backticks.
    pub message: String,
    /// The place of the problem, and what is there.
    pub primary: Label,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// Why it is so, and what follows: sentences beside the message.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// Suggested changes, the best first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A finding of a kind at a place; `here` says what is at the place.
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

    /// Adds a second place.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Says why it is so, or what follows.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests replacing the text under `span`.
    pub fn fix(mut self, title: impl Into<String>, safe: bool, span: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Fix::new(title, safe, vec![TextEdit { span, text: text.into() }]));
        self
    }
}

/// Sorts findings by place, then by code, and drops those that say the same of the same place.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    let key = |one: &Diagnostic| (one.primary.span.source, one.primary.span.start, one.primary.span.end, one.code.id);
    diagnostics.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message)));
    diagnostics.dedup_by(|a, b| key(a) == key(b) && a.message == b.message);
}

/// The candidate nearest to a mistyped word, when it is near enough to be meant.
///
/// How many signs may differ grows with the length: none in a word of one or two, three in the longest.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(word, candidate)?, candidate)))
        .min()
        .map(|(_, near)| near)
}

/// How far a word is from one that may be meant; none when it is too far.
fn distance(word: &str, candidate: &str) -> Option<usize> {
    if word.eq_ignore_ascii_case(candidate) {
        return Some(0);
    }
    let (one, other) = (word.chars().count(), candidate.chars().count());
    let most = match one.min(other) {
        0..=2 => return None,
        _ => (one.max(other) / 3).clamp(1, 3),
    };
    // A long word is compared only with one about as long.
    let near = (one.abs_diff(other) <= most).then(|| strsim::damerau_levenshtein(word, candidate))?;
    (near <= most).then_some(near)
}

/// Alternatives as a person would list them: `a`, `a or b`, `a, b or c`; five at most, then how many more.
pub fn alternatives<S: AsRef<str>>(words: &[S]) -> String {
    const MOST: usize = 5;
    let quoted: Vec<String> = words.iter().take(MOST).map(|word| format!("`{}`", word.as_ref())).collect();
    let rest = words.len().saturating_sub(MOST);
    match (quoted.as_slice(), rest) {
        ([], _) => String::new(),
        ([one], _) => one.clone(),
        ([first @ .., last], 0) => format!("{} or {last}", first.join(", ")),
        (all, rest) => format!("{} and {rest} more", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("maks", ["mask", "trim"]), Some("mask"));
        assert_eq!(nearest("contxt.ratio", ["context.ratio", "reported.ratio"]), Some("context.ratio"));
        assert_eq!(nearest("zebra", ["mask", "trim"]), None);
        assert_eq!(nearest("MASK", ["mask", "trim"]), Some("mask"));
        assert_eq!(nearest("context.turns", ["context.ratio"]), None);
    }

    #[test]
    fn a_short_name_is_no_suggestion_for_another() {
        for (word, candidate) in [("z", "a"), ("z", "ab"), ("a1", "a2"), ("", "a"), ("abc", "xbz")] {
            assert_eq!(nearest(word, [candidate]), None, "{word} {candidate}");
        }
        assert_eq!(nearest("A", ["a", "b"]), Some("a"));
        assert_eq!(nearest("usr", ["use"]), Some("use"));
    }

    #[test]
    fn five_alternatives_are_listed_at_most() {
        assert_eq!(alternatives(&["a"]), "`a`");
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(alternatives(&["a", "b", "c", "d", "e", "f", "g"]), "`a`, `b`, `c`, `d`, `e` and 2 more");
    }
}
