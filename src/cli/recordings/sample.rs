//! A choice of transcripts that depends on the input and a seed only.
//!
//! Every file has a rank, a hash of the seed and its name, and so has every transcript, by its position in its file. Files
//! are read in the order of their ranks until they have enough transcripts, of which those with the lowest ranks are chosen.
//! The other files are not read.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use sha2::{Digest, Sha256};
use trimtab_recordings::transcript::ReadError;

use super::{FileName, Item, Recordings, TranscriptIndex};
use crate::cli::console::Failure;
use crate::cli::input;
use crate::cli::load::Recording;

/// The options of subcommands that can work on some of many transcripts.
#[derive(Args, Clone, Copy, Debug)]
pub(in super::super) struct Sampling {
    /// Use only N transcripts, chosen at random: of N files, if there are more. The same inputs and seed give the same choice
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// The seed of the choice
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sample")]
    seed: u64,
}

/// The chosen transcripts.
#[derive(Debug, Default)]
pub(in super::super) struct Sample {
    /// The files that have chosen transcripts, in the order of the input.
    pub(in super::super) paths: Vec<PathBuf>,
    /// The files that could not be read, in the order of the input.
    pub(in super::super) unread: Vec<(Arc<FileName>, ReadError)>,
    /// The chosen transcripts of each unit, by the name of the file and the number of the unit.
    units: HashMap<String, HashMap<usize, Vec<Chosen>>>,
}

/// A transcript of a unit.
#[derive(Debug)]
pub(super) struct Chosen {
    index: usize,
    id: String,
}

/// A transcript that may be chosen.
struct Candidate {
    rank: [u8; 32],
    place: PlaceInFile,
}

/// Where a transcript is, and its name in reports.
#[derive(Clone, Debug)]
pub(in super::super) struct PlaceInFile {
    file: Arc<FileName>,
    place: TranscriptIndex,
    id: String,
}

impl PlaceInFile {
    pub(super) const fn new(file: Arc<FileName>, place: TranscriptIndex, id: String) -> Self {
        Self { file, place, id }
    }

    /// The name of the transcript in reports.
    pub(in super::super) fn id(&self) -> &str {
        &self.id
    }
}

impl Sampling {
    /// Returns the number of transcripts and the seed, or `None` if all are used.
    pub(in super::super) fn size(self) -> Option<(u32, u64)> {
        self.sample.map(|size| (size, self.seed))
    }

    /// Chooses transcripts of these recordings, or returns `None` if all are used.
    ///
    /// # Errors
    ///
    /// If one of the recordings is standard input, which cannot be read twice.
    pub(in super::super) fn choose(self, recordings: &Recordings<'_>) -> Result<Option<Sample>, Failure> {
        let Some((size, seed)) = self.size() else { return Ok(None) };
        if recordings.paths.iter().any(|path| input::is_stdin(path)) {
            return Err(Failure::Message("--sample cannot choose from standard input: name a file".to_owned()));
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let mut files: Vec<&PathBuf> = recordings.paths.iter().collect();
        files.sort_by_cached_key(|path| rank(seed, &input::display_name(path, None), None));
        let (mut sample, mut candidates, mut files) = (Sample::default(), Vec::new(), files.into_iter());
        while candidates.len() < size {
            let paths: Vec<PathBuf> = files.by_ref().take(size - candidates.len()).cloned().collect();
            if paths.is_empty() {
                break;
            }
            let recordings = Recordings { paths: &paths, needs_names: false, ..*recordings };
            sample.unread.extend(read(&recordings, seed, &mut candidates)?);
        }
        candidates.sort_unstable_by_key(|one| one.rank);
        candidates.truncate(size);
        sample.keep(candidates.iter().map(|one| &one.place));
        sample.sort(recordings.paths);
        Ok(Some(sample))
    }
}

/// Adds the transcripts of some files. Returns the files that cannot be read.
fn read(
    recordings: &Recordings<'_>,
    seed: u64,
    candidates: &mut Vec<Candidate>,
) -> Result<Vec<(Arc<FileName>, ReadError)>, Failure> {
    let (mut unread, mut position, mut last) = (Vec::new(), 0, None);
    recordings.each(
        |_, _| (),
        |item| {
            match item {
                Item::Done(done) => {
                    position = if last.as_ref() == Some(&done.file.name) { position + 1 } else { 0 };
                    last = Some(done.file.name.clone());
                    let rank = rank(seed, &done.file.name, Some(position));
                    candidates.push(Candidate { rank, place: done.place() });
                }
                Item::Unread { file, error } => unread.push((file, error)),
                Item::Panicked { .. } | Item::FileEnd { .. } => {}
            }
            Ok(())
        },
    )?;
    Ok(unread)
}

impl Sample {
    /// How many files were read or could not be.
    pub(in super::super) fn file_count(&self) -> usize {
        self.paths.len() + self.unread.len()
    }

    /// The chosen transcripts of a unit, in order.
    pub(super) fn of_unit(&self, file: &str, unit: usize) -> &[Chosen] {
        self.units.get(file).and_then(|units| units.get(&unit)).map_or(&[], Vec::as_slice)
    }

    /// These transcripts, whose files are read in the order in which the transcripts are named.
    pub(in super::super) fn of<'a>(places: impl IntoIterator<Item = &'a PlaceInFile>) -> Self {
        let mut sample = Self::default();
        sample.keep(places);
        sample
    }

    fn keep<'a>(&mut self, places: impl IntoIterator<Item = &'a PlaceInFile>) {
        for PlaceInFile { file, place, id } in places {
            let units = self.units.entry(file.name.clone()).or_default();
            if units.is_empty() {
                self.paths.push(file.path.clone());
            }
            units.entry(place.unit).or_default().push(Chosen { index: place.index, id: id.clone() });
        }
        let units = self.units.values_mut().flat_map(HashMap::values_mut);
        units.for_each(|chosen| chosen.sort_unstable_by_key(|one| one.index));
    }

    /// Restores the order of the input.
    fn sort(&mut self, paths: &[PathBuf]) {
        let positions: HashMap<&PathBuf, usize> = paths.iter().enumerate().map(|(at, path)| (path, at)).collect();
        self.paths.sort_by_key(|path| positions.get(path));
        self.unread.sort_by_key(|(file, _)| positions.get(&file.path));
    }
}

/// The chosen recordings of a unit, with their names; all of them if there is no choice.
pub(super) fn kept(all: Vec<Recording>, chosen: Option<&[Chosen]>) -> impl Iterator<Item = Recording> {
    let mut chosen = chosen.map(|chosen| chosen.iter().peekable());
    all.into_iter().enumerate().filter_map(move |(at, recording)| match &mut chosen {
        None => Some(recording),
        Some(chosen) => {
            let id = chosen.next_if(|one| one.index == at)?.id.clone();
            Some(Recording { id, ..recording })
        }
    })
}

/// The rank of a file, or of the transcript at a position in it.
fn rank(seed: u64, file: &str, position: Option<u64>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(position.map_or(0, |position| position.saturating_add(1)).to_le_bytes());
    hash.update(file.as_bytes());
    hash.finalize().into()
}
