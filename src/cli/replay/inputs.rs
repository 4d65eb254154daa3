//! The recordings that are replayed: all of them, or a sample.

use std::path::PathBuf;

use trimtab_recordings::transcript::ReadError;
use trimtab_report::report::{TerminalStyle, plural};

use super::InputArguments;
use crate::cli::console::{Console, Failure};
use crate::cli::load::AgentFiles;
use crate::cli::recordings::{CopiedCalls, Recordings, Sample, Sampling, shows_progress};

/// Recordings to replay with every policy.
pub(in super::super) struct Inputs {
    paths: Vec<PathBuf>,
    agents: AgentFiles,
    /// The calls of all files that were read.
    copied: CopiedCalls,
    sample: Option<Sample>,
}

impl Inputs {
    /// Chooses the sample, if one is wanted, from the files.
    pub(in super::super) fn choose(
        paths: Vec<PathBuf>,
        arguments: &InputArguments,
        console: &Console,
    ) -> Result<Self, Failure> {
        let (agents, copied) = (AgentFiles::among(&paths), CopiedCalls::default());
        let all = Self { agents, copied, paths, sample: None };
        let recordings = all.recordings(arguments, arguments.jobs.count(), false, shows_progress(console, false));
        let sample = arguments.sampling.choose(&recordings)?;
        Ok(Self { sample, ..all })
    }

    /// The recordings, read with the options of the arguments.
    pub(in super::super) fn recordings<'a>(
        &'a self,
        arguments: &'a InputArguments,
        jobs: usize,
        needs_names: bool,
        shows_progress: bool,
    ) -> Recordings<'a> {
        Recordings {
            paths: self.sample.as_ref().map_or(&self.paths, |sample| &sample.paths),
            stdin_filename: arguments.stdin_filename.as_deref(),
            format: arguments.input_format.as_deref(),
            errors: arguments.errors,
            agents: Some(&self.agents),
            copied: Some(&self.copied),
            sample: self.sample.as_ref(),
            jobs,
            needs_names,
            shows_progress,
        }
    }

    /// The files that could not be read when the sample was chosen.
    pub(in super::super) fn unread(&self) -> impl Iterator<Item = (&str, &ReadError)> {
        let unread = self.sample.iter().flat_map(|sample| &sample.unread);
        unread.map(|(file, error)| (file.name.as_str(), error))
    }

    /// A note on calls that several files contain.
    pub(in super::super) fn note_on_copies(&self) -> Option<String> {
        self.copied.note()
    }

    /// How many files are read.
    pub(in super::super) fn file_count(&self) -> usize {
        self.sample.as_ref().map_or(self.paths.len(), Sample::file_count)
    }

    /// The first line of a report on a sample.
    pub(in super::super) fn heading(&self, sampling: Sampling, style: TerminalStyle) -> String {
        let Some(text) = self.choice(sampling) else { return String::new() };
        format!("{}\n", style.emphasis(style.wrap(&text, 0).trim_end()))
    }

    /// A sentence on a sample: `A sample of up to 100 transcripts, chosen from 1,200 files with seed 0.`
    pub(in super::super) fn choice(&self, sampling: Sampling) -> Option<String> {
        let (size, seed) = sampling.size()?;
        let size = plural(usize::try_from(size).unwrap_or(usize::MAX), "transcript");
        let files = plural(self.paths.len(), "file");
        Some(format!("A sample of up to {size}, chosen from {files} with seed {seed}."))
    }
}
