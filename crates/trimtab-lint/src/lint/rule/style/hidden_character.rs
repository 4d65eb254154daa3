//! `hidden-character`

use std::ops::Range;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::source::sanitize::{self, Kind};
use trimtab_base::source::{SourceFormat, Span};
use trimtab_syntax::syntax;
use trimtab_syntax::syntax::tree::Comment;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("hidden-character", Severity::Warning, include_str!("hidden_character.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Mixed,
    evidence: &["https://trojansource.codes/"],
    check: Check::Text(check),
    ..Lint::DEFAULT
};

/// Most characters that a message names.
const MAX_NAMED: usize = 3;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let text = subject.source.text();
    let mut runs = runs(text).peekable();
    if runs.peek().is_none() {
        return;
    }
    let comments = match subject.source.format() {
        SourceFormat::Yaml => syntax::yaml::all_comments(subject.source),
        _ => subject.comments.to_vec(),
    };
    for run in runs {
        let chars: Vec<char> = text.get(run.clone()).unwrap_or_default().chars().collect();
        let span = Span::new(subject.source.id(), run.start, run.end);
        let mut finding = LINT.finding(span, message(&chars), label(&chars));
        let title = if chars.len() == 1 { "remove the character" } else { "remove the characters" };
        let is_safe = is_in(&comments, span);
        finding.fixes.push(fix(title, is_safe, TextEdit { span, text: String::new() }));
        findings.push(finding);
    }
}

/// The stretches of unsafe characters in a text other than its line breaks, tabs and byte order mark.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_layout = |at: usize, char| match char {
        '\n' | '\t' => true,
        '\r' => text.get(at..).is_some_and(|rest| rest.starts_with("\r\n")),
        '\u{feff}' => at == 0,
        _ => false,
    };
    let mut chars = sanitize::unsafe_chars(text).filter(move |&(at, char)| !is_layout(at, char)).peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.next()?;
        let mut end = start + first.len_utf8();
        while let Some((_, char)) = chars.next_if(|&(at, _)| at == end) {
            end += char.len_utf8();
        }
        Some(start..end)
    })
}

fn message(chars: &[char]) -> String {
    let names: Vec<String> = chars.iter().take(MAX_NAMED).map(|&char| format!("U+{:04X}", u32::from(char))).collect();
    match (chars, chars.len().saturating_sub(MAX_NAMED)) {
        ([only], _) => format!("{} {}", noun(*only), names.concat()),
        (all, 0) => format!("{} hidden characters: {}", all.len(), names.join(", ")),
        (all, more) => format!("{} hidden characters: {} and {more} more", all.len(), names.join(", ")),
    }
}

fn noun(char: char) -> &'static str {
    sanitize::kind(char).unwrap_or(Kind::Invisible).noun()
}

fn label(chars: &[char]) -> &'static str {
    let has = |wanted| chars.iter().any(|&char| sanitize::kind(char) == Some(wanted));
    if has(Kind::Bidirectional) {
        "this changes the order in which the text is displayed"
    } else if has(Kind::Control) {
        "this acts on terminals and editors"
    } else {
        "this is not displayed"
    }
}

/// Whether a span is inside a comment.
fn is_in(comments: &[Comment], span: Span) -> bool {
    let until = comments.partition_point(|comment| comment.span.start <= span.start);
    comments.get(..until).and_then(<[Comment]>::last).is_some_and(|comment| comment.span.contains(span))
}
