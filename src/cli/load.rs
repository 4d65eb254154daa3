//! Loads policies and recordings from files.

mod agent_files;

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use trimtab_analysis::system::{self, Recognition};
use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::Agent;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::{self, Format, ReadError, ReadFile, Transcript};

pub(super) use self::agent_files::AgentFiles;
use super::console::{Console, Failure};
use super::isolated::isolated;
use super::project::Project;
use super::{input, policy};
use crate::host;

/// Extensions of recordings in directories, and whole names of others.
pub(super) const RECORDINGS: &[&str] = &[
    "json",
    "jsonl",
    "ndjson",
    "eval",
    "traj",
    ".aider.chat.history.md",
    host::HERMES_DATABASE,
    host::OPENCODE_DATABASE,
];

/// The supported formats, as `--help` lists them.
pub(super) fn input_formats() -> PossibleValuesParser {
    let value =
        |format: &&Format| PossibleValue::new(format.name).help(format!("{}: {}", format.title, format.summary));
    PossibleValuesParser::new(transcript::FORMATS.iter().map(value))
}

/// A transcript and its name in reports.
pub(super) struct Recording {
    pub(super) id: String,
    pub(super) transcript: Transcript,
}

/// Returns the plan of a policy file or of settings on the project's host, or a compiled plan, or `None` if the file
/// has errors, which are printed.
pub(super) fn plan(
    path: &Path,
    name: &str,
    chosen: Option<&str>,
    project: &Project,
    console: &Console,
) -> Result<Option<Plan>, Failure> {
    policy::check_is_file(path, name)?;
    if path.extension().is_some_and(|end| end == "json") && !is_settings(path, name) {
        let plan = compiled_plan(path, name, chosen, console)?;
        let models = project.config.models.clone();
        return Ok(plan.map(|plan| Plan { agent: Agent { models, ..plan.agent.clone() }, ..plan }));
    }
    let mut compiled = policy::compile(path, name, console)?;
    project.apply_profile(&mut compiled.checked);
    policy::plan(&compiled, name, chosen)
}

/// Whether a file has the settings of a system that is known, and no plan.
fn is_settings(path: &Path, name: &str) -> bool {
    input::read_text(path).is_ok_and(|text| {
        let is_plan = text.contains("\"schema_version\"") && text.contains("\"rules\"");
        !is_plan && matches!(system::recognise(&Source::new(SourceId::default(), name, text)), Recognition::Of(_))
    })
}

/// Returns the plan in a compiled file, which has its own host, or `None` if the file is wrong.
fn compiled_plan(path: &Path, name: &str, chosen: Option<&str>, console: &Console) -> Result<Option<Plan>, Failure> {
    let text = input::read_text(path).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    match Plan::from_json(&text) {
        Ok(plan) => match chosen.filter(|chosen| *chosen != plan.policy) {
            Some(other) => Err(format!("{name} is the policy `{}`, not `{other}`", plan.policy).into()),
            None => Ok(Some(plan)),
        },
        Err(error) => {
            for error in error.errors() {
                console.error(&format!("error: {name}: {error}"));
            }
            Ok(None)
        }
    }
}

/// The content of a file. A panic of the reader is an error of the file.
pub(super) fn file(path: &Path, format: Option<&str>) -> Result<ReadFile, ReadError> {
    let stored = host::read_stored_sessions(path).map(|read| read.map_err(|error| error.to_string()));
    let bytes = stored.unwrap_or_else(|| input::read(path));
    let bytes = bytes.map_err(|reason| ReadError::new(format!("cannot read the file: {reason}")))?;
    isolated(|| transcript::read(&bytes, format)).map_err(ReadError::new)?
}

/// The transcripts of a file, as far as no other input contains them.
pub(super) fn recordings(
    path: &Path,
    name: &str,
    format: Option<&str>,
    agents: &AgentFiles,
) -> Result<Vec<Recording>, ReadError> {
    let mut read = file(path, format)?;
    agents.complete(path, &mut read);
    Ok(transcripts(name, read))
}

/// The transcripts of a file, with their names in reports: the file, with the id inside it if there are several.
pub(super) fn transcripts(name: &str, file: ReadFile) -> Vec<Recording> {
    let alone = file.transcripts.len() == 1;
    let id = |transcript: &Transcript| if alone { name.to_owned() } else { format!("{name}#{}", transcript.id) };
    file.transcripts.into_iter().map(|transcript| Recording { id: id(&transcript), transcript }).collect()
}
