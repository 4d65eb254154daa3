//! Policies and recordings from files.

use std::path::Path;

use super::console::{Console, Failure};
use super::input;
use crate::diagnostic::Severity;
use crate::pipeline;
use crate::plan::{self, Plan, Unclear};
use crate::report;
use crate::transcript::{self, Transcript};

/// Endings of recordings in directories.
pub(super) const RECORDINGS: &[&str] = &["json", "jsonl", "ndjson"];

/// A transcript and its id in reports.
pub(super) struct Recording {
    pub(super) id: String,
    pub(super) transcript: Transcript,
}

/// The plan of a policy file; none when the file has errors, which are then shown.
pub(super) fn plan(path: &Path, name: &str, policy: Option<&str>, console: &Console) -> Result<Option<Plan>, Failure> {
    let text = input::read_text(path).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let compiled = pipeline::compile(name, &text);
    for one in &compiled.diagnostics {
        if one.severity == Severity::Error || !console.is_quiet() {
            Console::complain(&report::draw(&compiled.sources, one, console.notes));
        }
    }
    let Some(checked) = compiled.checked else { return Ok(None) };
    plan::lower(&checked, policy).map(Some).map_err(|unclear| Failure::Said(reason(name, &unclear)))
}

fn reason(name: &str, unclear: &Unclear) -> String {
    let list = |names: &[smol_str::SmolStr]| names.join(", ");
    match unclear {
        Unclear::NoPolicy => format!("{name} holds no policy"),
        Unclear::Several(names) => {
            format!("{name} holds several policies: choose one with --policy ({})", list(names))
        }
        Unclear::Unknown(wanted, names) => format!("{name} holds no policy `{wanted}`, only {}", list(names)),
    }
}

/// The transcripts of a file, or why it cannot be read and at which line.
pub(super) fn recordings(
    path: &Path,
    name: &str,
    format: Option<&str>,
) -> Result<Vec<Recording>, (String, Option<usize>)> {
    let bytes = input::read(path).map_err(|reason| (format!("cannot be read: {reason}"), None))?;
    let reading = transcript::read(&bytes, format).map_err(|error| (error.message, error.line))?;
    let alone = reading.transcripts.len() == 1;
    let id = |one: &Transcript| if alone { name.to_owned() } else { format!("{name}#{}", one.id) };
    Ok(reading.transcripts.into_iter().map(|transcript| Recording { id: id(&transcript), transcript }).collect())
}
