//! `--resume`: finished replays in a file, so that an interrupted sweep can continue.
//!
//! The first line identifies the sweep, each other line is the outcome of a transcript under a plan. A line that an
//! interruption has cut is dropped.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use trimtab_analysis::sweep::{AXES, TranscriptOutcome};
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::ErrorAmounts;

use crate::cli::console::Failure;
use crate::cli::input;
use crate::cli::simulate::determining::hash;
use crate::host::file;
use crate::host::output::append_to;
use crate::pipeline::sweep::Combinations;

/// The replays that an earlier run has finished, and the file to which this run adds its own.
pub(super) struct FinishedReplays {
    finished: HashMap<(String, usize), TranscriptOutcome>,
    file: Mutex<(File, Option<io::Error>)>,
}

/// The first line: what the outcomes depend on. A field that differs is named in the error.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    trimtab_sweep: u32,
    version: String,
    policies: String,
    options: String,
    recordings: String,
}

/// Another line: an outcome.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    transcript: String,
    plan: usize,
    values: Vec<Option<Decimal>>,
    errors: Vec<ErrorAmounts>,
    unmet: Vec<usize>,
}

impl FinishedReplays {
    /// Opens the file of a sweep, or begins it.
    ///
    /// # Errors
    /// The file cannot be read or written, or belongs to another sweep.
    pub(super) fn open(
        path: &Path,
        recordings: &[PathBuf],
        combinations: &Combinations,
        options: &Json,
    ) -> Result<Self, Failure> {
        let cannot =
            |what: &str, error: io::Error| Failure::Message(format!("cannot {what} {}: {error}", path.display()));
        let header = Header::of(recordings, combinations, options)?;
        let mut file = append_to(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| cannot("read", error))?;
        let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut finished = HashMap::new();
        let written = if complete == 0 {
            // What does not end its first line is the beginning of a header, or a file of somebody else.
            let line = line(&header);
            if !line.as_bytes().starts_with(&bytes) {
                return Err(foreign(path));
            }
            file.set_len(0).and_then(|()| file.write_all(line.as_bytes()))
        } else {
            bytes.truncate(complete);
            finished = header.outcomes(&String::from_utf8(bytes).map_err(|_| foreign(path))?, path)?;
            file.set_len(complete as u64)
        };
        written.map_err(|error| cannot("write", error))?;
        Ok(Self { finished, file: Mutex::new((file, None)) })
    }

    /// The outcome of a transcript under a plan, if an earlier run has finished it.
    pub(super) fn outcome(&self, transcript: &str, plan: usize) -> Option<&TranscriptOutcome> {
        // The key owns its text; a sweep looks up each one once.
        self.finished.get(&(transcript.to_owned(), plan))
    }

    /// Writes an outcome.
    pub(super) fn keep(&self, transcript: &str, plan: usize, outcome: &TranscriptOutcome) {
        let TranscriptOutcome { values, errors, unmet } = outcome.clone();
        let line = line(&Line { transcript: transcript.to_owned(), plan, values, errors, unmet });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, failed) = &mut *file;
        if failed.is_none() {
            *failed = file.write_all(line.as_bytes()).err();
        }
    }

    /// Fails if an outcome could not be written.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let failed = self.file.lock().unwrap_or_else(PoisonError::into_inner).1.take();
        failed.map_or(Ok(()), |error| Err(Failure::Message(format!("cannot write the file of --resume: {error}"))))
    }
}

impl Header {
    fn of(recordings: &[PathBuf], combinations: &Combinations, options: &Json) -> Result<Self, Failure> {
        let plans: Vec<&str> = combinations.plans.iter().map(|plan| plan.hash.as_str()).collect();
        Ok(Self {
            trimtab_sweep: 2,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            policies: hash(&plans).unwrap_or_default(),
            options: hash(options).unwrap_or_default(),
            recordings: contents(recordings)?,
        })
    }

    /// The outcomes in the text of a file that begins with this header.
    fn outcomes(&self, text: &str, path: &Path) -> Result<HashMap<(String, usize), TranscriptOutcome>, Failure> {
        let mut lines = text.lines();
        let found = lines.next().and_then(|line| serde_json::from_str::<Self>(line).ok());
        self.check(&found.ok_or_else(|| foreign(path))?, path)?;
        let outcome = |(number, text)| {
            let is_whole = |line: &Line| [line.values.len(), line.errors.len()] == [AXES.len(); 2];
            let line = serde_json::from_str(text).ok().filter(is_whole);
            let Line { transcript, plan, values, errors, unmet } = line.ok_or_else(|| broken(path, number + 2))?;
            Ok(((transcript, plan), TranscriptOutcome { values, errors, unmet }))
        };
        lines.enumerate().map(outcome).collect()
    }

    fn check(&self, found: &Self, path: &Path) -> Result<(), Failure> {
        let differs = [
            (self.trimtab_sweep != found.trimtab_sweep || self.version != found.version, "version of trimtab"),
            (self.policies != found.policies, "policy or its values"),
            (self.options != found.options, "options"),
            (self.recordings != found.recordings, "recordings"),
        ];
        match differs.iter().find(|(differs, _)| *differs) {
            None => Ok(()),
            Some((_, what)) => Err(Failure::Message(format!(
                "{} belongs to another sweep: the {what} differ; delete it to begin anew, or name another file",
                path.display()
            ))),
        }
    }
}

/// A hash of the names and contents of files.
fn contents(paths: &[PathBuf]) -> Result<String, Failure> {
    let mut all = Sha256::new();
    for path in paths {
        if input::is_stdin(path) {
            return Err(Failure::Message("--resume cannot continue with standard input: name a file".to_owned()));
        }
        let mut one = Sha256::new();
        // A file that cannot be read is reported when it is replayed.
        if let Ok(mut file) = file::open(path) {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(read @ 1..) = file.read(&mut buffer) {
                one.update(buffer.get(..read).unwrap_or_default());
            }
        }
        all.update(path.as_os_str().as_encoded_bytes());
        all.update([0]);
        all.update(one.finalize());
    }
    Ok(all.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn line(value: &impl Serialize) -> String {
    format!("{}\n", json!(value))
}

fn foreign(path: &Path) -> Failure {
    Failure::Message(format!("{} is not a file of `trimtab sweep --resume`; name another file", path.display()))
}

fn broken(path: &Path, number: usize) -> Failure {
    Failure::Message(format!("{}:{number}: not an outcome of a sweep; delete the line, or the file", path.display()))
}
