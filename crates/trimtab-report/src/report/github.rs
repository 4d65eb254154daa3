//! Annotations of a GitHub workflow: the one place that writes and escapes them.

use std::fmt::{self, Display};

use trimtab_base::diagnostic::Severity;
use trimtab_base::source::Position;
use trimtab_base::source::sanitize;

use super::style;

/// A workflow command that annotates a file, or the whole run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Annotation<'a> {
    pub(super) severity: Severity,
    pub(super) title: &'a str,
    pub(super) file: Option<&'a str>,
    pub(super) region: Option<Region>,
    pub(super) message: &'a str,
}

/// Where in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) from: Position,
    pub(super) to: Option<Position>,
}

impl Display for Annotation<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        out.write_str(&style::command(&format!("::{command} title={}", property(self.title))))?;
        if let Some(file) = self.file {
            write!(out, ",file={}", property(file))?;
        }
        if let Some(region) = self.region {
            write!(out, "{region}")?;
        }
        writeln!(out, "::{}", data(self.message))
    }
}

impl Display for Region {
    /// GitHub ignores columns of a region that spans several lines.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.from;
        match self.to {
            None => write!(out, ",line={},col={}", from.line, from.column),
            Some(to) if to.line == from.line => {
                write!(out, ",line={},col={},endLine={},endColumn={}", from.line, from.column, to.line, to.column)
            }
            Some(to) => write!(out, ",line={},endLine={}", from.line, to.line),
        }
    }
}

/// The message of a command, line breaks kept.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|line| sanitize::one_line(&escape(line))).collect();
    lines.join("%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    sanitize::one_line(&escape(text)).replace(':', "%3A").replace(',', "%2C")
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::super::encoding::Encoding;
    use super::*;

    #[test]
    fn text_cannot_end_a_command_or_a_property() {
        assert_eq!(data("80% of: a,\nb\rc"), "80%25 of: a,%0Ab%0Dc");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }

    #[test]
    fn columns_are_given_for_a_region_on_one_line() {
        let at = |line, column| Position { line, column };
        let region = |to| Region { from: at(1, 2), to };
        let annotation = |region| Annotation {
            severity: Severity::Info,
            title: "t",
            file: Some("f"),
            region: Some(region),
            message: "m",
        };
        let annotation = |region| Encoding::Text.finish(annotation(region).to_string()).into_string();
        assert_eq!(annotation(region(None)), "::notice title=t,file=f,line=1,col=2::m\n");
        let same = "::notice title=t,file=f,line=1,col=2,endLine=1,endColumn=5::m\n";
        assert_eq!(annotation(region(Some(at(1, 5)))), same);
        assert_eq!(annotation(region(Some(at(3, 1)))), "::notice title=t,file=f,line=1,endLine=3::m\n");
    }
}
