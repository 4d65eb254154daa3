//! JUnit XML: a test case a file. What fails the run is its one failure, all else is its output.

use super::{FindingFormat, Findings, said};
use crate::diagnostic::Diagnostic;
use crate::source::Source;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "junit", summary: "JUnit XML: a test case a file", render };

fn render(all: &Findings<'_>) -> String {
    let (tests, errors) = (all.sources.iter().count() + all.unread.len(), all.unread.len());
    let fails = |source: &&Source| within(all, source).any(|one| all.fails(one));
    let failures = all.sources.iter().filter(fails).count();
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    out += &format!("<testsuites name=\"trimtab\" {counts}>\n  <testsuite name=\"trimtab\" {counts}>\n");
    out.extend(all.sources.iter().map(|source| case(all, source)));
    for one in all.unread {
        out += &format!("    <testcase name=\"{}\" classname=\"trimtab\">\n", escape(&one.file));
        out += &format!("      <error type=\"unread\" message=\"{}\"/>\n    </testcase>\n", escape(&one.reason));
    }
    out + "  </testsuite>\n</testsuites>\n"
}

fn case(all: &Findings<'_>, source: &Source) -> String {
    let head = format!("    <testcase name=\"{}\" classname=\"trimtab\"", escape(source.name()));
    let (failing, others): (Vec<_>, Vec<_>) = within(all, source).partition(|one| all.fails(one));
    let failure = failure(source, &failing);
    let output = format!("      <system-out>{}</system-out>\n", told(source, &others));
    match (failing.is_empty(), others.is_empty()) {
        (true, true) => format!("{head}/>\n"),
        (false, true) => format!("{head}>\n{failure}    </testcase>\n"),
        (true, false) => format!("{head}>\n{output}    </testcase>\n"),
        (false, false) => format!("{head}>\n{failure}{output}    </testcase>\n"),
    }
}

/// The findings in a file.
fn within<'a>(all: &Findings<'a>, source: &Source) -> impl Iterator<Item = &'a Diagnostic> {
    let id = source.id();
    all.open().filter(move |one| one.primary.span.source == id)
}

/// All that fails a test case, which can fail but once.
fn failure(source: &Source, found: &[&Diagnostic]) -> String {
    let kind = |one: &Diagnostic| format!("{}[{}]", one.severity.word(), one.code.id);
    let mut kinds: Vec<String> = Vec::new();
    for one in found {
        kinds.extend(Some(kind(one)).filter(|kind| !kinds.contains(kind)));
    }
    let message = match found {
        [one] => one.message.clone(),
        several => format!("{} findings", several.len()),
    };
    let (kinds, message) = (escape(&kinds.join(", ")), escape(&message));
    format!("      <failure type=\"{kinds}\" message=\"{message}\">{}</failure>\n", told(source, found))
}

/// Findings with their places and what is said beside them.
fn told(source: &Source, found: &[&Diagnostic]) -> String {
    let one = |one: &&Diagnostic| {
        let at = source.position(one.primary.span.start);
        let place = format!("{}:{}:{}", source.name(), at.line, at.column);
        let head = format!("{place}: {}[{}] {}", one.severity.word(), one.code.id, one.message);
        [vec![head], said(one)].concat().join("\n")
    };
    escape(&found.iter().map(one).collect::<Vec<_>>().join("\n"))
}

/// A text as XML takes it, in content and between quotes; what XML cannot hold at all is replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            '\t' => out += "&#9;",
            '\r' => out += "&#13;",
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped_or_replaced() {
        assert_eq!(escape("a<b & \"c\">\n\u{1b}\u{0}"), "a&lt;b &amp; &quot;c&quot;&gt;&#10;\u{fffd}\u{fffd}");
    }
}
