//! `--since`: only what lies in lines that have changed since a revision.

use std::path::{Path, PathBuf};

use clap::Args;

use super::console::Failure;
use super::findings::Report;
use crate::host::Changes;
use crate::source::Span;

/// Argument of each verb that can look at changes alone.
#[derive(Args, Debug)]
pub(super) struct SinceArguments {
    /// Only what lies in lines changed since this git revision, committed or not; new files count whole
    #[arg(long, value_name = "REV")]
    since: Option<String>,
}

/// What has changed; everything when no revision was given.
pub(super) struct Since(Option<Changes>);

impl SinceArguments {
    /// Asks git, in the repository of the first path.
    pub(super) fn open(&self, paths: &[PathBuf]) -> Result<Since, Failure> {
        let Some(revision) = &self.since else { return Ok(Since(None)) };
        let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
        let existing = first.ancestors().find(|path| path.is_dir() && !path.as_os_str().is_empty());
        let changes = Changes::since(existing.unwrap_or(Path::new(".")), revision);
        changes.map(|changes| Since(Some(changes))).map_err(|reason| Failure::Message(format!("--since: {reason}")))
    }
}

impl Since {
    /// Whether a revision was given.
    pub(super) const fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Leaves out findings in lines that have not changed. Standard input counts whole.
    pub(super) fn narrow(self, found: &mut Report) -> Result<(), Failure> {
        let Some(mut changes) = self.0 else { return Ok(()) };
        let mut kept = Vec::with_capacity(found.findings.len());
        for one in std::mem::take(&mut found.findings) {
            if touched(&mut changes, found, one.diagnostic.primary.span)? {
                kept.push(one);
            }
        }
        found.findings = kept;
        Ok(())
    }

    /// The files that have changed.
    pub(super) fn touched(self, paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
        let Some(changes) = self.0 else { return Ok(paths) };
        let mut kept = Vec::with_capacity(paths.len());
        for path in paths {
            if path.as_os_str() == "-" || changes.holds(&path)? {
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
    if path.is_file() { changes.touch(path, &lines) } else { Ok(true) }
}
