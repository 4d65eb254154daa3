//! Lints of a compiled file.

use super::{CompiledFile, Compiler};
use crate::lint::{self, Advice, Day, Settings, Subject};
use crate::simulate::Trace;
use crate::source::SourceFormat;
use crate::syntax;

impl Compiler {
    /// Runs the lints on a compiled file; a file with errors has no findings.
    ///
    /// Lints that need evidence report only with `traces`, and suppressions expire only if `today` is given.
    pub fn advise(
        &self,
        file: &CompiledFile,
        settings: &Settings,
        traces: Option<&[Trace]>,
        today: Option<Day>,
    ) -> Advice {
        let (Some(source), Some(checked)) = (self.sources.get(file.id), &file.checked) else {
            return Advice::default();
        };
        let Some(tree) = self.trees.get(file.id.0 as usize) else { return Advice::default() };
        let comments = syntax::comments(source);
        let mut advice = lint::advise(&Subject::new(source, tree, &comments, checked, settings), traces, today);
        if source.format() == SourceFormat::Yaml {
            // Fixes are written in the policy language, not in YAML.
            advice.findings.iter_mut().for_each(|one| one.fixes.clear());
        }
        advice
    }
}
