//! Fingerprints of findings that survive edits elsewhere in a file.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use trimtab_base::source::{SourceId, SourceMap};

use super::findings::Finding;

/// The fingerprint of each finding: a hash of its code, its line without indentation, and its number among equal ones.
/// Moving the line does not change it; within a file it is unique.
pub(super) fn fingerprints(sources: &SourceMap, findings: &[Finding]) -> Vec<String> {
    let mut seen: BTreeMap<(SourceId, &str, &str), usize> = BTreeMap::new();
    let fingerprint = |finding: &'_ Finding| {
        let (code, span) = (finding.diagnostic.code.id, finding.diagnostic.primary.span);
        let line = sources.get(span.source).map_or("", |source| source.line(source.position(span.start).line).trim());
        let which = seen.entry((span.source, code, line)).or_default();
        *which += 1;
        digest(&[code, line, &which.to_string()])
    };
    findings.iter().map(fingerprint).collect()
}

/// The first 16 bytes of a hash of all parts and their lengths.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
    use trimtab_base::source::Span;

    use super::*;

    static CODE: Code = Code { id: "never-true", severity: Severity::Error, title: "", why: "", wrong: "", right: "" };

    fn fingerprints_of(text: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let id = sources.add("a.trim", text);
        let at = text.match_indices("bad").map(|(at, _)| Span::new(id, at, at + 3));
        let findings: Vec<Finding> = at.map(|span| Diagnostic::new(&CODE, span, "m", "h").into()).collect();
        fingerprints(&sources, &findings)
    }

    #[test]
    fn a_line_that_moves_keeps_its_fingerprint() {
        assert_eq!(fingerprints_of("bad x\n"), fingerprints_of("\n\n    bad x\n"));
        assert_ne!(fingerprints_of("bad x\n"), fingerprints_of("bad y\n"));
    }

    #[test]
    fn equal_findings_have_different_fingerprints() {
        let all = fingerprints_of("bad bad\nbad bad\n");
        let unique: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!((all.len(), unique.len()), (4, 4));
    }
}
