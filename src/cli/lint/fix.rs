//! Fixes made in files, or shown, and what is said of them.

use super::super::console::{Console, Failure};
use super::super::project::Project;
use super::super::{Exit, replace};
use super::{Lint, Work};
use crate::lint::{FixResult, RejectedFix};
use crate::report;
use crate::source::{Source, SourceId};

/// How many fixes that were left out are told one by one.
const TOLD: usize = 5;

/// What became of the fixes.
#[derive(Default)]
struct Tally {
    applied: usize,
    files: usize,
    /// What was left out, each with its place.
    refused: Vec<String>,
}

impl Lint {
    /// Fixes the files, or shows what that would change.
    pub(super) fn apply_fixes(
        &self,
        work: &mut [Work<'_>],
        project: &Project,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let (mut exit, mut tally) = (Exit::Success, Tally::default());
        for one in work {
            let fixed = one.fixed(self.unsafe_fixes, project);
            let (name, is_changed) = (&one.name, fixed.text != one.text);
            tally.count(name, &fixed, is_changed);
            if self.diff {
                console.write(&report::unified_diff(name, &one.text, &fixed.text, console.style))?;
                exit = if is_changed { Exit::Findings } else { exit };
                continue;
            }
            if one.path.as_os_str() == "-" {
                console.write(&fixed.text)?;
            } else if is_changed {
                replace::replace(&one.path, &fixed.text).map_err(|reason| format!("cannot write {name}: {reason}"))?;
            }
            one.text = fixed.text;
        }
        tally.tell(if self.diff { "would fix" } else { "fixed" }, console);
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
        self.refused.extend(fixed.refused.iter().map(|one| refused(&source, one)));
    }

    fn tell(&self, verb: &str, console: &Console) {
        if self.applied > 0 {
            let kind = if self.files == 1 { "file" } else { "files" };
            console.note(&format!("{verb} {} in {} {kind}", self.applied, self.files));
        }
        if self.refused.is_empty() {
            return;
        }
        let count = self.refused.len();
        console.note(&format!("{count} fix{} left out:", if count == 1 { "" } else { "es" }));
        self.refused.iter().take(TOLD).for_each(|one| console.note(one));
        if count > TOLD {
            console.note(&format!("  and {} more", count - TOLD));
        }
    }
}

/// A fix that was left out, with its place in the text that came out.
fn refused(source: &Source, one: &RejectedFix) -> String {
    let line = source.position(one.span.start).line;
    format!("  {}:{line}: {}: to {} {}", source.name(), one.code, one.title, one.why)
}
