//! How files of a format are read: as a whole, or record by record.

use super::archive::Archive;
use super::record::Input;
use super::request_records::{self, RecordApi};
use super::{FORMATS, Format, ReadError, Transcript, plausible};

/// Returns the transcripts of a file.
type ReadWhole = fn(&Input<'_>) -> Result<Vec<Transcript>, ReadError>;

/// Returns the transcripts of an archive, and how many invalid byte sequences were replaced.
pub(super) type ReadArchive = fn(Archive<'_>) -> Result<(Vec<Transcript>, u64), ReadError>;

/// How a file is read.
#[derive(Debug)]
pub(super) enum Reader {
    /// As a whole.
    File(ReadWhole),
    /// As a whole, or an archive with a function of its own.
    FileOrArchive(ReadWhole, ReadArchive),
    /// Record by record, each as one of its own API.
    Records(RecordApi),
}

impl Format {
    /// Reads a file with records of this format.
    pub(super) fn read(&self, input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
        self.read_as(input, &record_apis())
    }

    /// Reads a file in which no record of this format has been recognised.
    pub(super) fn read_without_detection(&self, input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
        self.read_as(input, &[])
    }

    fn read_as(&self, input: &Input<'_>, apis: &[&RecordApi]) -> Result<Vec<Transcript>, ReadError> {
        match &self.reader {
            Reader::File(read) | Reader::FileOrArchive(read, _) => read(input),
            Reader::Records(api) => request_records::read_transcripts(self.name, input, apis, api.read),
        }
    }

    /// The function that reads archives, if the format has any.
    pub(super) fn archive_reader(&self) -> Option<ReadArchive> {
        match self.reader {
            Reader::FileOrArchive(_, read) => Some(read),
            Reader::File(_) | Reader::Records(_) => None,
        }
    }

    /// Whether the lines of a file are requests that repeat those before them, so that it cannot be read in pieces.
    pub(super) fn is_log(&self, input: &Input<'_>) -> bool {
        match &self.reader {
            Reader::File(_) | Reader::FileOrArchive(..) => false,
            Reader::Records(api) => request_records::is_log(input, &record_apis(), api.read),
        }
    }

    /// Completes transcripts that were read, whatever the format.
    pub(super) fn complete(&self, transcripts: &mut [Transcript]) {
        for transcript in transcripts {
            transcript.format = self.name;
            transcript.complete_from_messages();
            plausible::drop_implausible(transcript);
        }
    }
}

/// The APIs whose records a log may hold.
fn record_apis() -> Vec<&'static RecordApi> {
    let api = |format: &&'static Format| match &format.reader {
        Reader::Records(api) => Some(api),
        Reader::File(_) | Reader::FileOrArchive(..) => None,
    };
    FORMATS.iter().filter_map(api).collect()
}
