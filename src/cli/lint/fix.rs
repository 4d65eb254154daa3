//! Applies fixes to files, or shows them as a diff.

use trimtab_base::source::{Source, SourceId};
use trimtab_lint::lint::{FixResult, RejectedFix};
use trimtab_report::report::{self, Encoding, plural};

use super::super::Exit;
use super::super::console::{Console, Failure};
use super::super::project::Project;
use super::{FileToLint, Lint};
use crate::host::output::edit_file;

/// Most fixes that were not applied and are listed.
const MAX_LISTED: usize = 5;

/// How many fixes were applied and refused.
#[derive(Default)]
struct Tally {
    applied: usize,
    files: usize,
    /// The fixes that were not applied, each with its place.
    refused: Vec<String>,
}

impl Lint {
    /// Fixes the files, or prints what that would change.
    pub(super) fn apply_fixes(
        &self,
        files: &mut [FileToLint<'_>],
        project: &Project,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let (mut exit, mut tally) = (Exit::Success, Tally::default());
        for file in files {
            let fixed = file.fixed(self.unsafe_fixes, project);
            let (name, is_changed) = (&file.name, fixed.text != file.text);
            tally.count(name, &fixed, is_changed);
            if self.diff {
                console.write(&report::unified_diff(name, &file.text, &fixed.text, console.style))?;
                exit = if is_changed { Exit::Findings } else { exit };
                continue;
            }
            if file.path.as_os_str() == "-" {
                console.write(Encoding::Data.finish(fixed.text.as_str()))?;
            } else if is_changed {
                edit_file(&file.path, &file.text, &fixed.text)
                    .map_err(|reason| format!("cannot write {name}: {reason}"))?;
            }
            file.text = fixed.text;
        }
        tally.report(if self.diff { "would apply" } else { "applied" }, console);
        Ok(exit)
    }
}

impl Tally {
    fn count(&mut self, name: &str, fixed: &FixResult, is_changed: bool) {
        if is_changed {
            self.applied += fixed.applied.len();
            self.files += 1;
        }
        let source = Source::new(SourceId(0), name, fixed.text.as_str());
        self.refused.extend(fixed.rejected.iter().map(|rejected| refused(&source, rejected)));
    }

    fn report(&self, verb: &str, console: &Console) {
        if self.applied > 0 {
            console.note(&format!("{verb} {} in {}", plural(self.applied, "fix"), plural(self.files, "file")));
        }
        if self.refused.is_empty() {
            return;
        }
        console.note(&format!("{} not applied:", plural(self.refused.len(), "fix")));
        self.refused.iter().take(MAX_LISTED).for_each(|rejected| console.note(rejected));
        if let more @ 1.. = self.refused.len().saturating_sub(MAX_LISTED) {
            console.note(&format!("  and {more} more"));
        }
    }
}

/// A fix that was not applied, with its place in the fixed text.
fn refused(source: &Source, rejected: &RejectedFix) -> String {
    let line = source.position(rejected.span.start).line;
    format!("  {}:{line}: {}: the fix ({}) {}", source.name(), rejected.code, rejected.title, rejected.reason)
}
