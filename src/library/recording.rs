//! Transcripts: recorded conversations of agents.

use trimtab_recordings::transcript::{self, FORMATS, ReadError};

/// One recorded conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript(pub(super) transcript::Transcript);

/// Reads the conversations of a recording. Without a format, the first format that recognises the file is used.
///
/// # Errors
/// The file is empty or truncated, no format recognises it, or it has no record of the given format.
pub fn read_transcripts(bytes: &[u8], format: Option<&str>) -> Result<Vec<Transcript>, ReadError> {
    let reading = transcript::read(bytes, format)?;
    Ok(reading.transcripts.into_iter().map(Transcript).collect())
}

/// The formats that [`read_transcripts`] reads, each with a one-line description.
pub fn transcript_formats() -> impl Iterator<Item = (&'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.summary))
}

impl Transcript {
    /// Its id; empty if it is the only conversation of its file.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The format from which it was read.
    pub fn format(&self) -> &'static str {
        self.0.format
    }

    /// The model that wrote most replies, if it is recorded.
    pub fn model(&self) -> Option<&str> {
        self.0.main_model().map(AsRef::as_ref)
    }

    /// The context window in tokens, if it is recorded.
    pub fn window(&self) -> Option<u64> {
        self.0.window
    }

    /// The number of messages.
    pub fn messages(&self) -> usize {
        self.0.messages.len()
    }

    /// The conversation in Trimtab's own JSONL form, which [`read_transcripts`] reads back.
    pub fn to_jsonl(&self) -> String {
        transcript::write(&self.0)
    }
}
