//! The recordings that a nested subcommand reads: in parallel, one file after another in the order of the input.

use std::path::{Path, PathBuf};

use clap::Args;
use trimtab_recordings::transcript::{ReadError, ReadFile};
use trimtab_report::report::ReplayError;

use crate::cli::console::{Console, Failure};
use crate::cli::isolated::isolated;
use crate::cli::load::{self, AgentFiles, Recording};
use crate::cli::ordered::in_order;
use crate::cli::recordings::{CopiedCalls, Done, ErrorInference, Item, Jobs, Recordings, shows_progress};
use crate::cli::unsupported::UnsupportedFiles;
use crate::cli::{Exit, input};

/// Arguments of nested subcommands that read recordings.
#[derive(Args, Debug)]
pub(in super::super) struct Inputs {
    /// Recordings: files, directories (their .json, .jsonl, .ndjson, .eval and
    /// .traj files) or globs; `-` is standard input
    #[arg(required = true, value_name = "RECORDING")]
    paths: Vec<PathBuf>,
    /// Read the recordings in this format instead of detecting it
    #[arg(long, value_name = "NAME", value_parser = load::input_formats())]
    input_format: Option<String>,
    /// Whether errors are inferred from texts, for subcommands that have the option.
    #[arg(skip)]
    pub(super) errors: ErrorInference,
    /// The file name of standard input in messages
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    #[command(flatten)]
    jobs: Jobs,
    /// Fail if any recording cannot be read
    #[arg(long)]
    strict: bool,
    /// Succeed if there are no recordings
    #[arg(long)]
    allow_empty: bool,
}

/// What became of the files.
#[derive(Default)]
pub(in super::super) struct ReadInputs {
    /// The files that have not been read.
    paths: Vec<PathBuf>,
    /// The paths as they are given.
    given: Vec<PathBuf>,
    /// The number of files.
    files: usize,
    /// Files in unsupported formats, which are reported at the end.
    unsupported: UnsupportedFiles,
    /// The files that could not be read, in the order of the input.
    pub(in super::super) errors: Vec<ReplayError>,
    strict: bool,
}

/// A transcript, or the end of its file.
pub(in super::super) enum Found<'a, T> {
    Transcript(Done<T>),
    FileEnd { file: &'a str, format: &'static str, sniffed: Vec<&'static str> },
}

impl ReadInputs {
    /// Adds a recording that cannot be read.
    fn fail(&mut self, name: &str, error: ReadError, console: &Console) {
        let (message, line) = (error.message.clone(), error.line);
        self.errors.push(ReplayError { file: name.to_owned(), message, line });
        match error.unsupported {
            Some(kind) => self.unsupported.add(kind, name.to_owned(), error.message),
            None => console.error(&format!("error: {name}: {error}")),
        }
    }

    /// How the subcommand ends if there are no findings.
    pub(in super::super) fn exit(&self) -> Result<Exit, Failure> {
        let failed = self.errors.len();
        if failed > 0 && (self.strict || failed == self.files) {
            return Err(Failure::Message(format!("{failed} of {} recordings could not be read", self.files)));
        }
        input::check_exist(&self.given).map(|()| Exit::Success)
    }
}

impl Inputs {
    /// All recordings in a folder, of which there may be none.
    pub(in super::super) fn in_folder(folder: &Path, jobs: Jobs, strict: bool) -> Self {
        Self {
            paths: vec![folder.to_path_buf()],
            input_format: None,
            errors: ErrorInference::default(),
            stdin_filename: None,
            jobs,
            strict,
            allow_empty: true,
        }
    }

    /// The paths as they are given.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Reads every file, computes something from it and gives that to `take`, in the order of the input. Files that cannot
    /// be read are reported.
    pub(in super::super) fn each<T: Send>(
        &self,
        console: &mut Console,
        compute: impl Fn(&str, ReadFile) -> T + Sync,
        mut take: impl FnMut(&mut Console, T) -> Result<(), Failure>,
    ) -> Result<ReadInputs, Failure> {
        let mut outcome = self.outcome()?;
        let agents = AgentFiles::among(&outcome.paths);
        let mut left = std::mem::take(&mut outcome.paths).into_iter();
        let next = || left.next().map(|path| (path.clone(), std::fs::metadata(path).map_or(0, |file| file.len())));
        in_order(
            self.jobs.count(),
            next,
            |path| self.file(&path, &agents, &compute),
            |(name, result)| match result {
                Ok(value) => take(console, value),
                Err(error) => {
                    outcome.fail(&name, error, console);
                    Ok(())
                }
            },
        )?;
        outcome.unsupported.lines().for_each(|line| console.error(&line));
        Ok(outcome)
    }

    /// Computes something from every transcript and gives it to `take`, in the order of the input. Files that cannot be read
    /// are reported.
    pub(in super::super) fn each_transcript<T: Send>(
        &self,
        console: &mut Console,
        is_streamed: bool,
        compute: impl Fn(&Recording) -> T + Sync,
        mut take: impl FnMut(&mut Console, Found<T>) -> Result<(), Failure>,
    ) -> Result<ReadInputs, Failure> {
        let mut outcome = self.outcome()?;
        let paths = std::mem::take(&mut outcome.paths);
        let (agents, copied) = (AgentFiles::among(&paths), CopiedCalls::default());
        let recordings = Recordings {
            paths: &paths,
            stdin_filename: self.stdin_filename.as_deref(),
            format: self.input_format.as_deref(),
            errors: self.errors,
            agents: Some(&agents),
            copied: Some(&copied),
            sample: None,
            jobs: self.jobs.count(),
            needs_names: false,
            shows_progress: shows_progress(console, is_streamed),
        };
        recordings.each(
            |_, recording| compute(recording),
            |item| {
                let (name, error) = match item {
                    Item::Done(done) => return take(console, Found::Transcript(done)),
                    Item::FileEnd { file, format, sniffed } => {
                        return take(console, Found::FileEnd { file: &file.name, format, sniffed });
                    }
                    Item::Panicked { id, message } => (id, ReadError::new(message)),
                    Item::Unread { file, error } => (file.name.clone(), error),
                };
                outcome.fail(&name, error, console);
                Ok(())
            },
        )?;
        outcome.unsupported.lines().for_each(|line| console.error(&line));
        copied.note().iter().for_each(|note| console.note(note));
        Ok(outcome)
    }

    /// The files, before they are read.
    fn outcome(&self) -> Result<ReadInputs, Failure> {
        let paths = input::files(&self.paths, load::RECORDINGS)?;
        if paths.is_empty() && !self.allow_empty {
            return Err(Failure::Message("no recording was found (--allow-empty accepts this)".to_owned()));
        }
        Ok(ReadInputs {
            given: self.paths.clone(),
            files: paths.len(),
            paths,
            strict: self.strict,
            ..ReadInputs::default()
        })
    }

    fn file<T>(
        &self,
        path: &Path,
        agents: &AgentFiles,
        compute: impl Fn(&str, ReadFile) -> T,
    ) -> (String, Result<T, ReadError>) {
        let name = input::display_name(path, self.stdin_filename.as_deref());
        let result = load::file(path, self.input_format.as_deref()).and_then(|mut file| {
            agents.complete(path, &mut file);
            for transcript in &mut file.transcripts {
                self.errors.apply(transcript);
            }
            isolated(|| compute(&name, file)).map_err(ReadError::new)
        });
        (name, result)
    }
}
