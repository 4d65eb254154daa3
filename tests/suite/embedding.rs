//! A program that embeds the library and prints its errors with the report handler of the command line.

use std::fmt::{self, Display};

use miette::{Diagnostic as _, SourceCode};
use trimtab::diagnostic::Diagnostic;
use trimtab::pipeline::{Compiled, compile};
use trimtab::report::{self, PolicyError, PolicyReportHandler, TerminalStyle};

const STYLE: TerminalStyle = TerminalStyle { width: 80, color: false, unicode: true };

/// A policy with a misspelt fact, for which there is a fix, and a rule that is defined twice.
const POLICY: &str = "edition 2026\npolicy p {\n  rule a { when contxt.ratio >= 80% do mask results }\n  \
                      rule a { when failures >= 3 do notify \"x\" }\n}\n";

/// Installs the handler; a second test of the process finds it installed.
fn install() {
    drop(miette::set_hook(Box::new(|_| Box::new(PolicyReportHandler::new(STYLE)))));
}

fn compiled() -> Compiled {
    let compiled = compile("p.trim", POLICY);
    assert!(compiled.diagnostics.len() >= 2, "{:?}", compiled.diagnostics);
    compiled
}

fn print(error: impl miette::Diagnostic + Send + Sync + 'static) -> String {
    format!("{:?}", miette::Report::new(error))
}

/// An error of the program, with findings as related diagnostics.
#[derive(Debug)]
struct Rejected {
    findings: Vec<PolicyError>,
}

impl Display for Rejected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the policy was rejected")
    }
}

impl std::error::Error for Rejected {}

impl miette::Diagnostic for Rejected {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new("note: the last good policy stays active\nfix the errors below"))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.findings.iter().map(|finding| finding as &dyn miette::Diagnostic)))
    }
}

#[test]
fn an_installed_handler_prints_a_finding_as_the_command_line_does() {
    install();
    let Compiled { sources, diagnostics, .. } = compiled();
    for diagnostic in &diagnostics {
        assert_eq!(
            print(PolicyError::new(&sources, diagnostic)),
            report::draw(&sources, diagnostic, STYLE).into_string()
        );
    }
    let fixable = |finding: &&Diagnostic| !finding.fixes.is_empty();
    let text = print(PolicyError::new(&sources, diagnostics.iter().find(fixable).unwrap()));
    for part in
        ["error[E201]: ", "--> p.trim:3:17", " ^^^^^^^^^^^^ ", "= help: ", "when context.ratio >=", " +\n", "[fix: "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn related_findings_keep_their_labels_help_and_patches() {
    install();
    let Compiled { sources, diagnostics, .. } = compiled();
    let findings: Vec<PolicyError> =
        diagnostics.iter().map(|diagnostic| PolicyError::new(&sources, diagnostic)).collect();
    let text = print(Rejected { findings });
    assert!(text.starts_with("error: the policy was rejected\n"), "{text}");
    assert!(
        text.contains("= note: the last good policy stays active\n") && text.contains("= help: fix the errors below\n")
    );
    for diagnostic in &diagnostics {
        assert!(text.contains(&format!("\n{}", report::draw(&sources, diagnostic, STYLE))), "{text}");
    }
}

/// An error of another library, which knows only the traits of miette.
#[derive(Debug)]
struct Foreign(miette::NamedSource<String>);

impl Display for Foreign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("unexpected\u{1b}[31m end")
    }
}

impl std::error::Error for Foreign {}

impl miette::Diagnostic for Foreign {
    fn severity(&self) -> Option<miette::Severity> {
        Some(miette::Severity::Warning)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.0)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        Some(Box::new([miette::LabeledSpan::at(12..15, "here")].into_iter()))
    }
}

#[test]
fn diagnostics_of_other_libraries_are_printed_the_same_way() {
    install();
    let error = Foreign(miette::NamedSource::new("b.toml", "[a]\nb = 1\nc = [[\n\nd = 2\n".to_owned()));
    assert!(error.code().is_none());
    let expected = "warning: unexpected\u{fffd}[31m end\n  --> b.toml:3:3\n   |\n 3 | c = [[\n   |   ^^^ here\n";
    assert_eq!(print(error), expected);
}
