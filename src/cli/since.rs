//! `--since`: restricts findings and files to changes since a git revision.

use std::path::{Path, PathBuf};

use clap::Args;
use trimtab_base::source::Span;

use super::console::Failure;
use super::findings::Report;
use crate::host::Changes;

/// Argument of each subcommand that can be restricted to changes.
#[derive(Args, Debug)]
pub(super) struct SinceArguments {
    /// Report only findings in lines changed since this git revision, committed or not
    #[arg(long, value_name = "REV")]
    since: Option<String>,
}

/// The changes; everything if no revision is given.
pub(super) struct Since(Option<Changes>);

impl SinceArguments {
    /// Runs git in the repository of the working directory.
    pub(super) fn open(&self) -> Result<Since, Failure> {
        let Some(revision) = &self.since else { return Ok(Since(None)) };
        let changes = Changes::since(revision);
        changes.map(|changes| Since(Some(changes))).map_err(|reason| Failure::Message(format!("--since: {reason}")))
    }
}

impl Since {
    /// Whether a revision is given.
    pub(super) const fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Removes findings in unchanged lines. All of standard input counts as changed.
    pub(super) fn narrow(self, found: &mut Report) -> Result<(), Failure> {
        let Some(mut changes) = self.0 else { return Ok(()) };
        let mut kept = Vec::with_capacity(found.findings.len());
        for finding in std::mem::take(&mut found.findings) {
            if touched(&mut changes, found, finding.diagnostic.primary.span)? {
                kept.push(finding);
            }
        }
        found.findings = kept;
        Ok(())
    }

    /// The files that changed.
    pub(super) fn touched(self, paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
        let Some(mut changes) = self.0 else { return Ok(paths) };
        let mut kept = Vec::with_capacity(paths.len());
        for path in paths {
            if path.as_os_str() == "-" || changes.is_changed(&path)? {
                kept.push(path);
            }
        }
        Ok(kept)
    }
}

fn touched(changes: &mut Changes, found: &Report, span: Span) -> Result<bool, String> {
    let Some(source) = found.sources.get(span.source) else { return Ok(true) };
    let path = Path::new(source.name());
    let lines = source.position(span.start).line..=source.position(span.end).line;
    if path.is_file() { changes.intersects(path, &lines) } else { Ok(true) }
}
