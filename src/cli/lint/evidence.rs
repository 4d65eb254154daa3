//! Replays policies on recordings, for lints that need evidence.

use std::path::PathBuf;

use rayon::prelude::*;
use trimtab_language::check::CheckedFile;
use trimtab_language::plan;
use trimtab_simulate::simulate::{Extract, Options, Trace, replay};

use crate::cli::console::{Console, Failure};
use crate::cli::input;
use crate::cli::load::{self, RECORDINGS, Recording};

/// Returns the transcripts of some paths, or `None` if no path is given.
pub(super) fn recordings(paths: &[PathBuf], console: &Console) -> Result<Option<Vec<Recording>>, Failure> {
    if paths.is_empty() {
        return Ok(None);
    }
    let files = input::files(paths, RECORDINGS)?;
    let (agents, mut all) = (load::AgentFiles::among(&files), Vec::new());
    for path in &files {
        let name = input::display_name(path, None);
        match load::recordings(path, &name, None, &agents) {
            Ok(found) => all.extend(found),
            Err(error) => console.note(&format!("note: {name}: {}", error.message)),
        }
    }
    if all.is_empty() {
        return Err(Failure::Message("--against matches no readable recording".to_owned()));
    }
    console.detail(&format!("{} conversations as evidence", all.len()));
    Ok(Some(all))
}

/// The replays of the file's policy. Empty unless the file defines exactly one.
pub(super) fn traces(checked: &CheckedFile, recordings: &[Recording]) -> Vec<Trace> {
    let Ok(plan) = plan::lower(checked, None) else { return Vec::new() };
    let options = Options::default();
    recordings
        .par_iter()
        .map(|recording| replay(&plan, &recording.transcript, &options, &mut Extract, &mut |_| {}))
        .collect()
}
