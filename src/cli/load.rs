//! Policies and recordings from files.

use std::path::Path;

use super::console::{Console, Failure};
use super::isolated::isolated;
use super::project::Project;
use super::{input, policy};
use crate::plan::Plan;
use crate::transcript::{self, Transcript};

/// Endings of recordings in directories.
pub(super) const RECORDINGS: &[&str] = &["json", "jsonl", "ndjson"];

/// A transcript and its id in reports.
pub(super) struct Recording {
    pub(super) id: String,
    pub(super) transcript: Transcript,
}

/// The plan of a policy file on the project's host; none when the file has errors, which are then shown.
pub(super) fn plan(
    path: &Path,
    name: &str,
    chosen: Option<&str>,
    project: &Project,
    console: &Console,
) -> Result<Option<Plan>, Failure> {
    let mut compiled = policy::compile(path, name, console)?;
    project.settle(&mut compiled.checked);
    policy::plan(&compiled, name, chosen)
}

/// The transcripts of a file, or why it cannot be read and at which line.
pub(super) fn recordings(
    path: &Path,
    name: &str,
    format: Option<&str>,
) -> Result<Vec<Recording>, (String, Option<usize>)> {
    let bytes = input::read(path).map_err(|reason| (format!("cannot be read: {reason}"), None))?;
    let reading = isolated(|| transcript::read(&bytes, format)).map_err(|panic| (panic, None))?;
    let reading = reading.map_err(|error| (error.message, error.line))?;
    let alone = reading.transcripts.len() == 1;
    let id = |one: &Transcript| if alone { name.to_owned() } else { format!("{name}#{}", one.id) };
    Ok(reading.transcripts.into_iter().map(|transcript| Recording { id: id(&transcript), transcript }).collect())
}
