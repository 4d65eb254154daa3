//! Lints of a compiled file.

mod settings_file;

use trimtab_base::source::SourceFormat;
use trimtab_lint::lint::{self, Day, LintOutcome, Settings, Subject};
use trimtab_report::report::Finding;
use trimtab_simulate::simulate::Trace;
use trimtab_syntax::syntax;

use super::{CompiledFile, Compiler};

impl Compiler {
    /// Runs the lints on a compiled file; a file with errors has no findings.
    ///
    /// Lints that need evidence report only with `traces`, and suppressions expire only if `today` is given.
    pub fn run_lints(
        &self,
        file: &CompiledFile,
        settings: &Settings,
        traces: Option<&[Trace]>,
        today: Option<Day>,
    ) -> LintOutcome {
        let (Some(source), Some(checked)) = (self.sources.get(file.id), &file.checked) else {
            return LintOutcome::default();
        };
        if let Some(outcome) = settings_file::run_lints(source, checked, settings, traces, today) {
            return outcome;
        }
        let Some(tree) = self.trees.get(file.id.0 as usize) else { return LintOutcome::default() };
        let comments = syntax::comments(source);
        let subject = Subject::new(source, tree, &comments, checked, settings.options());
        let mut outcome = lint::run_lints(&subject, settings, traces, today);
        if source.format() == SourceFormat::Yaml {
            // Fixes are written in the policy language.
            outcome.findings.iter_mut().for_each(|finding| finding.fixes.clear());
        }
        outcome
    }
}

/// What lints have found on a file, with what a comment suppresses.
pub fn all_findings(outcome: LintOutcome) -> impl Iterator<Item = Finding> {
    let suppressed = outcome.suppressed.into_iter();
    let suppressed = suppressed.map(|(diagnostic, reason)| Finding { diagnostic, suppressed: Some(reason) });
    outcome.findings.into_iter().map(Finding::from).chain(suppressed)
}

/// Sorts findings by their place, and those of one place by their code.
pub fn sort_findings(findings: &mut [Finding]) {
    let place = |finding: &Finding| (finding.diagnostic.primary.span, finding.diagnostic.code.id);
    findings.sort_by(|a, b| place(a).cmp(&place(b)));
}

#[cfg(test)]
mod tests {
    use trimtab_base::source::NoSources;

    use super::*;

    const POLICY: &str = "edition 2026
policy p {
  rule a { when context.ratio > 80% and context.ratio > 50% do mask results }
  # trimtab: allow(redundant-part) it is only a test
  rule b { when context.ratio > 80% and context.ratio > 50% do mask results }
  rule c { when context.ratio > 80% and context.ratio > 50% do mask results }
}
";

    #[test]
    fn suppressed_findings_are_among_the_others_by_place() {
        let mut compiler = Compiler::default();
        let file = compiler.compile("p.trim", POLICY, &mut NoSources);
        let outcome = compiler.run_lints(&file, &Settings::default(), None, None);
        let mut all: Vec<Finding> = all_findings(outcome).collect();
        sort_findings(&mut all);
        let places: Vec<_> =
            all.iter().map(|finding| (finding.diagnostic.primary.span, finding.diagnostic.code.id)).collect();
        assert!(places.is_sorted(), "{places:?}");
        let suppressed: Vec<bool> = all.iter().map(|finding| finding.suppressed.is_some()).collect();
        assert_eq!((suppressed.first(), suppressed.last()), (Some(&false), Some(&false)));
        assert!(suppressed.contains(&true), "{all:?}");
    }
}
