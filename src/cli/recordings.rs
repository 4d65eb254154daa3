//! Work on every transcript of some recordings: in parallel, with results in the order of the input.
//!
//! Small files are read as a whole. A large file is read conversation by conversation if its format allows that, and its
//! pieces are spread over the workers.

mod copied_calls;
mod naming;
mod sample;

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use trimtab_recordings::transcript::{Piece, Pieces, ReadError, Transcript, infer_errors};

pub(super) use self::copied_calls::CopiedCalls;
use self::naming::Naming;
pub(super) use self::sample::{PlaceInFile, Sample, Sampling};
use super::console::{Console, Failure};
use super::input;
use super::isolated::isolated;
use super::load::{self, AgentFiles, Recording};
use super::ordered::in_order;
use super::progress::Progress;
use crate::host::file;

/// Files of fewer bytes are read as a whole.
const SPLIT: u64 = 1 << 20;

/// The least bytes of a piece of a file, so that a piece of short conversations is worth passing to a worker.
const PIECE: usize = 256 << 10;

/// The option of subcommands that work on many recordings.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct Jobs {
    /// How many recordings are worked on at the same time; the output is the same for any number [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

impl Jobs {
    /// The number of threads.
    pub(super) fn count(self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }
}

/// The option of subcommands that look at the errors of recordings.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct ErrorInference {
    /// Infer from the text which tool results are errors, in formats that do not mark them
    #[arg(long)]
    pub(super) infer_errors: bool,
}

/// What became of a transcript or a file, in the order of the input.
pub(super) enum Item<T> {
    /// A transcript.
    Done(Done<T>),
    /// The work on a transcript panicked.
    Panicked { id: String, message: String },
    /// All transcripts of a file have been returned.
    FileEnd { file: Arc<FileName>, format: &'static str, sniffed: Vec<&'static str> },
    /// A file cannot be read.
    Unread { file: Arc<FileName>, error: ReadError },
}

/// The result for a transcript.
pub(super) struct Done<T> {
    /// The file that holds it.
    pub(super) file: Arc<FileName>,
    /// The name of the transcript in reports.
    pub(super) id: String,
    pub(super) value: T,
    /// Skipped records around it that the transcript does not count.
    pub(super) skipped: BTreeMap<String, u64>,
    place: TranscriptIndex,
}

impl<T> Done<T> {
    /// Where the transcript is.
    pub(super) fn place(&self) -> PlaceInFile {
        PlaceInFile::new(Arc::clone(&self.file), self.place, self.id.clone())
    }
}

/// Where a transcript is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TranscriptIndex {
    /// The unit of the file.
    unit: usize,
    /// The transcript of the unit.
    index: usize,
}

/// A file as the user gave it.
#[derive(Debug)]
pub(super) struct FileName {
    pub(super) path: PathBuf,
    pub(super) name: String,
}

/// Recordings to read.
pub(super) struct Recordings<'a> {
    pub(super) paths: &'a [PathBuf],
    pub(super) stdin_filename: Option<&'a str>,
    /// The format, if it is not to be detected.
    pub(super) format: Option<&'a str>,
    /// Whether errors are inferred from texts.
    pub(super) errors: ErrorInference,
    /// The sub-agents with files of their own among the inputs, which the files of sessions do not repeat.
    pub(super) agents: Option<&'a AgentFiles>,
    /// Where calls are noted, to find copies.
    pub(super) copied: Option<&'a CopiedCalls>,
    /// The chosen transcripts, or `None` for all. No file ends are returned then.
    pub(super) sample: Option<&'a Sample>,
    pub(super) jobs: usize,
    /// Whether files are read as a whole, so that `compute` knows the name of each transcript.
    pub(super) needs_names: bool,
    pub(super) shows_progress: bool,
}

impl<'a> Recordings<'a> {
    /// All transcripts of some files, in formats that are detected.
    pub(super) fn new(paths: &'a [PathBuf], jobs: usize) -> Self {
        let (sample, needs_names, shows_progress) = (None, false, false);
        let errors = ErrorInference::default();
        Self {
            paths,
            stdin_filename: None,
            format: None,
            errors,
            agents: None,
            copied: None,
            sample,
            jobs,
            needs_names,
            shows_progress,
        }
    }

    /// Computes something from every transcript and gives it to `take`.
    ///
    /// # Errors
    ///
    /// The first error of `take`.
    pub(super) fn each<T: Send>(
        &self,
        compute: impl Fn(&str, &Recording) -> T + Sync,
        mut take: impl FnMut(Item<T>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let files = self.paths.iter().map(|path| {
            let name = input::display_name(path, self.stdin_filename);
            let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
            (Arc::new(FileName { path: path.clone(), name }), bytes)
        });
        let files: VecDeque<_> = files.collect();
        let total = files.iter().map(|(_, bytes)| bytes).sum();
        let mut progress = Progress::new(self.shows_progress, files.len(), total);
        // The names of chosen transcripts are known.
        let splits = !self.needs_names || self.sample.is_some();
        let mut source = Source { files, format: self.format, splits, open: None };
        let mut naming = Naming::default();
        let result = in_order(
            self.jobs,
            || source.next(),
            |unit| self.work(unit, &compute),
            |result: UnitResult<T>| {
                progress.add(result.bytes, result.done.len(), result.is_last);
                if self.sample.is_some() {
                    naming::take_named(result, &mut take)
                } else {
                    naming.take(result, &mut take)
                }
            },
        );
        progress.clear();
        result
    }

    fn work<T>(&self, unit: Unit, compute: &impl Fn(&str, &Recording) -> T) -> UnitResult<T> {
        let chosen = self.sample.map(|sample| sample.of_unit(&unit.file.name, unit.number));
        let mut result = UnitResult::new(unit.file, unit.number, unit.bytes, unit.is_last);
        if chosen.is_some_and(<[_]>::is_empty) {
            return result;
        }
        let recordings = match unit.content {
            Content::Whole => self.whole_file(&mut result),
            Content::Piece { piece, sniffed } => {
                (result.format, result.sniffed, result.is_piece) = (piece.format(), sniffed, true);
                isolated(|| piece.read()).map_err(ReadError::new).and_then(|read| read).map(|read| {
                    result.skipped = read.skipped;
                    let recording = |transcript: Transcript| Recording { id: transcript.id.clone(), transcript };
                    read.transcripts.into_iter().map(recording).collect()
                })
            }
            Content::Broken(error) => Err(error),
        };
        match recordings {
            Ok(recordings) => {
                let name = &result.file.name;
                let each = sample::kept(recordings, chosen).map(|mut recording| {
                    self.errors.apply(&mut recording.transcript);
                    self.copied.iter().for_each(|copied| copied.record(name, &recording.transcript));
                    let value = isolated(|| compute(name, &recording));
                    (recording.id, value)
                });
                result.done = each.collect();
            }
            Err(error) => result.error = Some(error),
        }
        result
    }

    fn whole_file<T>(&self, result: &mut UnitResult<T>) -> Result<Vec<Recording>, ReadError> {
        let FileName { path, name } = &*result.file;
        let mut read = load::file(path, self.format)?;
        (result.format, result.sniffed) = (read.format, read.sniffed.clone());
        self.agents.iter().for_each(|agents| agents.complete(path, &mut read));
        Ok(load::transcripts(name, read))
    }
}

impl ErrorInference {
    /// Marks the errors of a transcript, if they are wanted.
    pub(super) fn apply(self, transcript: &mut Transcript) {
        if self.infer_errors {
            infer_errors(transcript);
        }
    }
}

/// A file, or a piece of one.
struct Unit {
    file: Arc<FileName>,
    /// Its position in the file.
    number: usize,
    bytes: u64,
    is_last: bool,
    content: Content,
}

enum Content {
    /// The file is to be read.
    Whole,
    Piece {
        piece: Piece,
        sniffed: Vec<&'static str>,
    },
    /// The rest of the file cannot be read.
    Broken(ReadError),
}

/// What became of a unit.
struct UnitResult<T> {
    file: Arc<FileName>,
    number: usize,
    format: &'static str,
    sniffed: Vec<&'static str>,
    bytes: u64,
    is_piece: bool,
    is_last: bool,
    /// The id of each transcript, and what was computed or why that failed.
    done: Vec<(String, Result<T, String>)>,
    skipped: BTreeMap<String, u64>,
    error: Option<ReadError>,
}

impl<T> UnitResult<T> {
    fn new(file: Arc<FileName>, number: usize, bytes: u64, is_last: bool) -> Self {
        let (sniffed, done, skipped) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { file, number, format: "", sniffed, bytes, is_piece: false, is_last, done, skipped, error: None }
    }
}

/// The units of all files, in order.
struct Source<'a> {
    files: VecDeque<(Arc<FileName>, u64)>,
    format: Option<&'a str>,
    splits: bool,
    /// The file whose pieces are being returned, and how many have been.
    open: Option<(Arc<FileName>, Pieces<BufReader<File>>, usize)>,
}

impl Source<'_> {
    fn next(&mut self) -> Option<(Unit, u64)> {
        let unit = self.next_piece().or_else(|| {
            let (file, bytes) = self.files.pop_front()?;
            self.open = self.pieces(&file.path, bytes).map(|pieces| (Arc::clone(&file), pieces, 0));
            self.next_piece().or(Some(Unit { file, number: 0, bytes, is_last: true, content: Content::Whole }))
        })?;
        let bytes = unit.bytes;
        Some((unit, bytes))
    }

    fn next_piece(&mut self) -> Option<Unit> {
        let (file, pieces, returned) = self.open.as_mut()?;
        let (file, number) = (Arc::clone(file), *returned);
        *returned += 1;
        let (content, bytes, is_last) = match pieces.next_piece(PIECE) {
            Ok(Some(piece)) => {
                let (bytes, is_last) = (piece.size() as u64, piece.is_last);
                (Content::Piece { piece, sniffed: pieces.sniffed().to_vec() }, bytes, is_last)
            }
            Ok(None) => return None,
            Err(error) => (Content::Broken(ReadError::new(format!("cannot read the file: {error}"))), 0, true),
        };
        if is_last {
            self.open = None;
        }
        Some(Unit { file, number, bytes, is_last, content })
    }

    /// Returns the pieces of a file, or `None` if it is to be read as a whole.
    fn pieces(&self, path: &Path, bytes: u64) -> Option<Pieces<BufReader<File>>> {
        if !self.splits || bytes < SPLIT {
            return None;
        }
        Pieces::open(BufReader::new(file::open(path).ok()?), self.format).ok()?
    }
}

/// Whether progress is shown: not if results appear on the same terminal meanwhile.
pub(super) fn shows_progress(console: &Console, is_streamed: bool) -> bool {
    console.shows_progress() && !(is_streamed && console.is_terminal())
}
