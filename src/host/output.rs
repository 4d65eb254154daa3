//! Files that are written: complete, or not at all.
//!
//! The text is written to a draft in the same folder, which takes the place of the file when it is complete. Until then, and
//! after any error, the old file is what it was. On Linux the draft has no name, so that nothing is left of it when the
//! process is killed. A file that
//! the command has read is not replaced, unless it is to be edited in place.

#![expect(clippy::disallowed_methods, reason = "writing files is what this file is for")]

mod draft;
mod place;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use self::draft::Draft;
use self::place::DestinationFile;
use super::file::{self, FileId};
use super::root::folder;

/// A result on its way to a file. Without [`commit`](Self::commit) it is discarded.
#[derive(Debug)]
pub struct OutputFile {
    name: PathBuf,
    sink: Sink,
    replaces: bool,
}

#[derive(Debug)]
enum Sink {
    /// The draft of a regular file.
    Draft(BufWriter<Draft>, DestinationFile),
    /// A device, a pipe or standard output.
    Stream(BufWriter<File>),
}

/// Why a file was not written.
#[derive(Debug)]
enum Refusal {
    /// There is a file of this name, which is to stay.
    Exists,
    /// Another reason.
    Reason(String),
}

impl OutputFile {
    /// Begins to write the file at a path.
    ///
    /// # Errors
    /// If it cannot be written, or the command has read it. The message names the file.
    pub fn create(path: &Path) -> Result<Self, String> {
        let sink = Sink::open(path).map_err(|reason| failure(path, &reason))?;
        Ok(Self { name: path.to_owned(), sink, replaces: true })
    }

    /// Keeps a file that exists when this one is complete: the commit fails then.
    pub fn keep_existing(&mut self) {
        self.replaces = false;
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// If it cannot be written, or the command has read one of this name. The message names the file.
    pub fn commit(self) -> Result<(), String> {
        let Self { name, sink, replaces } = self;
        sink.commit(replaces).map_err(|refusal| match refusal {
            Refusal::Exists => failure(&name, "it exists"),
            Refusal::Reason(reason) => failure(&name, &reason),
        })
    }

    /// An error of the file system, with the name of the file.
    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), failure(&self.name, &error.to_string()))
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.sink {
            Sink::Draft(draft, _) => draft.write(bytes),
            Sink::Stream(stream) => stream.write(bytes),
        };
        written.map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.sink {
            Sink::Draft(draft, _) => draft.flush(),
            Sink::Stream(stream) => stream.flush(),
        };
        flushed.map_err(|error| self.named(&error))
    }
}

impl Sink {
    fn open(path: &Path) -> Result<Self, String> {
        place::check_links(path)?;
        if let Some(stream) = stream(path).map_err(|error| error.to_string())? {
            return Ok(Self::Stream(BufWriter::new(stream)));
        }
        let place = DestinationFile::of(path)?;
        place.check_unread()?;
        let draft = Draft::create(&place).map_err(|error| error.to_string())?;
        Ok(Self::Draft(BufWriter::new(draft), place))
    }

    fn commit(self, replaces: bool) -> Result<(), Refusal> {
        let failed = |error: io::Error| Refusal::Reason(error.to_string());
        match self {
            Self::Stream(mut stream) => stream.flush().map_err(failed),
            Self::Draft(draft, place) => {
                let draft = draft.into_inner().map_err(|error| failed(error.into_error()))?;
                place.check_unread().map_err(Refusal::Reason)?;
                match draft.persist(&place, replaces) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Refusal::Exists),
                    done => done.map_err(failed),
                }
            }
        }
    }
}

/// What a path stands for if not for a regular file or one that does not exist.
fn stream(path: &Path) -> io::Result<Option<File>> {
    let Ok(metadata) = path.metadata() else { return Ok(None) };
    if metadata.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    let is_stdout = FileId::at(path).ok().is_some_and(|id| FileId::of_stdout() == Some(id));
    if metadata.is_file() && !is_stdout {
        return Ok(None);
    }
    #[cfg(unix)]
    if is_stdout {
        let stdout = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
        return Ok(Some(File::from(stdout)));
    }
    OpenOptions::new().write(true).open(path).map(Some)
}

fn failure(path: &Path, reason: &str) -> String {
    format!("cannot write {}: {reason}", path.display())
}

/// Writes a text to a file, which may exist.
///
/// # Errors
/// The file cannot be written; the message names it.
pub fn write_file(path: &Path, text: &[u8]) -> Result<(), String> {
    let mut file = OutputFile::create(path)?;
    file.write_all(text).map_err(|error| error.to_string())?;
    file.commit()
}

/// Writes a new file, in folders that are created too. Returns whether the file is new: one that exists, also as a symbolic
/// link to nothing, is not changed.
///
/// # Errors
/// The file cannot be written; the text is the reason.
pub fn create_file(path: &Path, text: &str) -> Result<bool, String> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    create_folder(folder(path))?;
    let place = DestinationFile::of(path)?;
    let draft = Draft::create(&place).and_then(|mut draft| draft.write_all(text.as_bytes()).map(|()| draft));
    match draft.and_then(|draft| draft.persist(&place, false)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        done => done.map(|()| true).map_err(|error| error.to_string()),
    }
}

/// Makes a folder, and those that contain it, unless it exists.
///
/// # Errors
/// It cannot be made; the text is the reason.
pub fn create_folder(path: &Path) -> Result<(), String> {
    place::check_links(path)?;
    fs::create_dir_all(path).map_err(|error| error.to_string())
}

/// Replaces the text of an existing file that this process has read.
///
/// # Errors
/// The file cannot be replaced, or no longer contains the old text; the text is the reason.
pub fn edit_file(path: &Path, old: &str, new: &str) -> Result<(), String> {
    place::check_links(path)?;
    let place = DestinationFile::of(path)?;
    let current = file::read(path).map_err(|error| error.to_string())?;
    if current != old.as_bytes() {
        return Err("the file has changed in the meantime".to_owned());
    }
    let draft = Draft::create(&place).and_then(|mut draft| draft.write_all(new.as_bytes()).map(|()| draft));
    draft.and_then(|draft| draft.persist(&place, true)).map_err(|error| error.to_string())
}

/// Removes a file that this process has read.
///
/// # Errors
/// The file cannot be removed, or no longer contains the old text; the text is the reason.
pub fn remove_file(path: &Path, old: &str) -> Result<(), String> {
    place::check_links(path)?;
    let place = DestinationFile::of(path)?;
    let current = file::read(path).map_err(|error| error.to_string())?;
    if current != old.as_bytes() {
        return Err("the file has changed in the meantime".to_owned());
    }
    fs::remove_file(&place.path).map_err(|error| error.to_string())
}

/// The file that an output at this path replaces, or would make. The same for every name of it.
///
/// # Errors
/// If there can be none; the text is the reason.
pub fn output_path(path: &Path) -> Result<PathBuf, String> {
    place::resolved(path)
}

/// Opens a file to append to it, which is created if it does not exist.
///
/// # Errors
/// The file cannot be opened, or the command has read it; the message names it.
pub fn append_to(path: &Path) -> Result<File, String> {
    let open = || {
        place::check_links(path)?;
        if path.is_file() {
            DestinationFile::of(path)?.check_unread()?;
        }
        OpenOptions::new().read(true).append(true).create(true).open(path).map_err(|error| error.to_string())
    };
    open().map_err(|reason| failure(path, &reason))
}
