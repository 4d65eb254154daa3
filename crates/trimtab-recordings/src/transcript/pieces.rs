//! Files that are read piece by piece.
//!
//! [`Pieces::open`] looks at the beginning of a file. If its format can be split between conversations, the file is returned
//! in pieces of whole conversations, and each can be read by itself: the transcripts of all pieces together are those that
//! [`super::read`] returns for the whole file.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use super::line::{Classify, Line};
use super::record::Input;
use super::sample::{self, Sample};
use super::{FORMATS, Format, ReadError, Transcript, archive, decode, error, find, missing_content};

/// The bytes of the beginning of a file by which its format is detected.
const HEAD: usize = 4 << 20;

/// The length of that beginning, which ends with a line.
pub(super) fn head_length(text: &str) -> usize {
    let (mut length, mut lines) = (0, 0);
    while length < HEAD && lines <= sample::MAX_RECORDS && length < text.len() {
        let rest = text.as_bytes().get(length..).unwrap_or_default();
        length += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        lines += 1;
    }
    length
}

/// A file in pieces.
pub struct Pieces<R> {
    input: R,
    format: &'static Format,
    classify: Classify,
    /// The names of all formats that recognise the beginning of the file.
    sniffed: Vec<&'static str>,
    /// The bytes that have been read and are not yet in a piece.
    text: Vec<u8>,
    /// How much of the text has been classified.
    seen: usize,
    is_at_end: bool,
}

/// Some conversations of a file.
pub struct Piece {
    format: &'static Format,
    text: Vec<u8>,
    /// Whether it is the last piece of the file.
    pub is_last: bool,
}

/// The transcripts of a piece.
#[derive(Debug)]
pub struct ReadPiece {
    /// The transcripts, with ids as they are recorded.
    pub transcripts: Vec<Transcript>,
    /// Skipped records by kind, if there is no transcript that counts them.
    pub skipped: BTreeMap<String, u64>,
}

impl<R: BufRead> Pieces<R> {
    /// Opens a file in the given format, or in the first one that recognises it. Returns `None` for a file that must be
    /// read as a whole.
    ///
    /// # Errors
    ///
    /// When the input cannot be read.
    pub fn open(mut input: R, format: Option<&str>) -> io::Result<Option<Self>> {
        let (mut text, mut lines) = (Vec::new(), 0);
        while text.len() < HEAD && lines <= sample::MAX_RECORDS {
            if input.read_until(b'\n', &mut text)? == 0 {
                return Ok(None);
            }
            lines += 1;
        }
        Ok(Self::of_head(input, text, format))
    }

    fn of_head(input: R, text: Vec<u8>, format: Option<&str>) -> Option<Self> {
        if archive::is_archive(&text) || text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") {
            return None;
        }
        let decoded = decode::decode(&text);
        let head = Input::of(&decoded.text);
        let repaired = head.repaired();
        let head = repaired.as_ref().map_or(head, |(text, _)| Input::of(text));
        if !sample::begins_with_line(head.text()) {
            return None;
        }
        let sample = Sample::of(&head);
        let sniffed: Vec<_> = FORMATS.iter().copied().filter(|format| (format.sniff)(&sample)).collect();
        let format = format.map_or_else(|| sniffed.first().copied(), find)?;
        // Another format, or none, recognises the file. The check whether this format is the wrong one needs the whole file.
        if !sniffed.first().is_some_and(|one| std::ptr::eq(*one, format)) {
            return None;
        }
        let classify = format.line?;
        // A session may continue on any line.
        if format.is_log(&head) {
            return None;
        }
        let sniffed = sniffed.iter().map(|format| format.name).collect();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").map(<[u8]>::to_vec).unwrap_or(text);
        Some(Self { input, format, classify, sniffed, text, seen: 0, is_at_end: false })
    }

    /// The names of all formats that recognise the beginning of the file.
    pub fn sniffed(&self) -> &[&'static str] {
        &self.sniffed
    }

    /// The next piece. It ends with a conversation after at least `size` bytes; the last one may be empty.
    ///
    /// # Errors
    ///
    /// When the input cannot be read.
    pub fn next_piece(&mut self, size: usize) -> io::Result<Option<Piece>> {
        if self.is_at_end {
            return Ok(None);
        }
        let (mut has_conversation, mut is_open) = (false, false);
        while let Some(end) = self.line_end()? {
            let line = String::from_utf8_lossy(&self.text[self.seen..end]);
            let kind = if line.trim().is_empty() { Line::Other } else { (self.classify)(&line) };
            match kind {
                // What follows a conversation stays in its piece, which counts it as skipped.
                Line::Whole | Line::First if has_conversation && self.seen >= size => {
                    return Ok(Some(self.cut(self.seen)));
                }
                Line::Whole | Line::First => (has_conversation, is_open) = (true, kind == Line::First),
                Line::Other => {}
                Line::Part if is_open => {}
                // Its conversation may have lines anywhere.
                Line::Part => {
                    self.input.read_to_end(&mut self.text)?;
                    self.seen = self.text.len();
                    break;
                }
            }
            self.seen = end;
        }
        self.is_at_end = true;
        Ok(Some(self.cut(self.text.len())))
    }

    /// Returns the end of the next line, which it reads if necessary, or `None` at the end of the file.
    fn line_end(&mut self) -> io::Result<Option<usize>> {
        if let Some(at) = memchr::memchr(b'\n', &self.text[self.seen..]) {
            return Ok(Some(self.seen + at + 1));
        }
        self.input.read_until(b'\n', &mut self.text)?;
        Ok((self.text.len() > self.seen).then_some(self.text.len()))
    }

    fn cut(&mut self, end: usize) -> Piece {
        let rest = self.text.split_off(end);
        self.seen = 0;
        Piece { format: self.format, text: std::mem::replace(&mut self.text, rest), is_last: self.is_at_end }
    }
}

impl Piece {
    /// The name of the format.
    pub const fn format(&self) -> &'static str {
        self.format.name
    }

    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// Reads the conversations of the piece.
    ///
    /// # Errors
    ///
    /// If the piece exceeds the limits of a file, or was not written in this format. A piece without a readable conversation
    /// is no error: its records are returned as skipped.
    pub fn read(&self) -> Result<ReadPiece, ReadError> {
        let decoded = decode::decode(&self.text);
        let input = Input::of(&decoded.text);
        if let Some(line) = input.excess() {
            // The line number counts from the start of the piece, not of the file.
            return Err(ReadError { line: None, ..error::too_many_values(line) });
        }
        let repaired = input.repaired();
        let input = repaired.as_ref().map_or(input, |(text, _)| Input::of(text));
        Ok(match self.format.read(&input) {
            Ok(mut transcripts) => {
                missing_content::check(&transcripts, self.format, &input)?;
                self.format.complete(&mut transcripts);
                ReadPiece { transcripts, skipped: BTreeMap::new() }
            }
            Err(error) => ReadPiece { transcripts: Vec::new(), skipped: error.skipped },
        })
    }
}

/// The error of a file whose pieces have no conversation.
pub fn no_conversation(format: &str) -> ReadError {
    ReadError::new(format!("found no `{format}` records"))
}
