//! Lints of a compiled file.

use trimtab_base::source::SourceFormat;
use trimtab_lint::lint::{self, Day, LintOutcome, Settings, Subject};
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
        let Some(tree) = self.trees.get(file.id.0 as usize) else { return LintOutcome::default() };
        let comments = syntax::comments(source);
        let subject = Subject::new(source, tree, &comments, checked, settings.options());
        let mut outcome = lint::run_lints(&subject, settings, traces, today);
        if source.format() == SourceFormat::Yaml {
            // Fixes are written in the policy language, not in YAML.
            outcome.findings.iter_mut().for_each(|finding| finding.fixes.clear());
        }
        outcome
    }
}
