//! JUnit XML: a test case a file, a failure a finding.

use super::{Findings, Form, said};
use crate::diagnostic::Diagnostic;
use crate::source::Source;

pub(super) static FORM: Form = Form { name: "junit", summary: "JUnit XML: a test case a file", render };

fn render(all: &Findings<'_>) -> String {
    let (tests, failures, errors) =
        (all.sources.iter().count() + all.unread.len(), all.open().count(), all.unread.len());
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
    let found: String =
        all.open().filter(|one| one.primary.span.source == source.id()).map(|one| failure(source, one)).collect();
    if found.is_empty() { format!("{head}/>\n") } else { format!("{head}>\n{found}    </testcase>\n") }
}

fn failure(source: &Source, one: &Diagnostic) -> String {
    let at = source.position(one.primary.span.start);
    let place = format!("{}:{}:{}", source.name(), at.line, at.column);
    let (severity, code) = (one.severity.word(), one.code.id);
    let body = [vec![format!("{place}: {severity}[{code}] {}", one.message)], said(one)].concat().join("\n");
    format!(
        "      <failure type=\"{severity}[{}]\" message=\"{}\">{}</failure>\n",
        escape(code),
        escape(&one.message),
        escape(&body)
    )
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
