//! Tests of whole files: rules, windows, errors, and robustness.

mod fault;
mod kind;
mod safety;
mod span;
mod window;

use trimtab_base::diagnostic::{Diagnostic, Severity};
use trimtab_base::source::{Source, SourceId};

use super::{parse, print};
use crate::syntax::tree::File;

fn read(text: &str) -> (File, Vec<Diagnostic>) {
    parse(&Source::new(SourceId(0), "policy.yaml", text))
}

/// The tree as policy text, of a text without any finding but values and lists that mean a default.
fn clean(text: &str) -> String {
    let (file, mut findings) = read(text);
    findings.retain(|finding| !["E616", "E617"].contains(&finding.code.id));
    assert!(findings.is_empty(), "{text}\n{findings:#?}");
    print::file(&file)
}

/// The findings: code, place in the text, message.
fn findings(text: &str) -> Vec<(&'static str, String, String)> {
    let source = Source::new(SourceId(0), "policy.yaml", text);
    let findings = parse(&source).1.into_iter();
    findings.map(|finding| (finding.code.id, source.slice(finding.primary.span).to_owned(), finding.message)).collect()
}

/// The only finding of a text.
fn only(text: &str) -> (&'static str, String, String) {
    let mut all = findings(text);
    assert_eq!(all.len(), 1, "{text:.300}\n{all:#.300?}");
    all.remove(0)
}

fn errors(text: &str) -> usize {
    read(text).1.iter().filter(|finding| finding.severity == Severity::Error).count()
}

#[test]
fn codes_are_unique_and_their_examples_are_right() {
    let mut ids: Vec<&str> = super::CODES.iter().map(|code| code.id).collect();
    ids.dedup();
    assert_eq!(ids.len(), super::CODES.len());
    for code in super::CODES {
        let found = findings(code.wrong);
        assert!(!found.is_empty() && found.iter().all(|(id, ..)| *id == code.id), "{}: {found:#?}", code.id);
        assert_eq!(findings(code.right), [], "{}", code.id);
    }
}
