//! Lints of a file that a compiler has checked.

use super::{Compiler, One};
use crate::lint::{self, Advice, Day, Settings, Subject};
use crate::simulate::Trace;
use crate::syntax;

impl Compiler {
    /// Runs the lints on a compiled file; a file with errors has no findings.
    ///
    /// Lints that need evidence report only with `traces`, and suppressions expire only if `today` is given.
    pub fn advise(&self, one: &One, settings: &Settings, traces: Option<&[Trace]>, today: Option<Day>) -> Advice {
        let (Some(source), Some(checked)) = (self.sources.get(one.id), &one.checked) else { return Advice::default() };
        let Some(tree) = self.trees.get(one.id.0 as usize) else { return Advice::default() };
        let yaml = syntax::yaml::looks_like(source.name());
        let comments = if yaml { syntax::yaml::comments(source) } else { syntax::comments(source) };
        let mut advice = lint::advise(&Subject::new(source, tree, &comments, checked, settings), traces, today);
        if yaml {
            // Fixes replace text of the `.trim` form.
            advice.findings.iter_mut().for_each(|one| one.fixes.clear());
        }
        advice
    }
}
