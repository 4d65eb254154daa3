//! Sessions that a coding agent does not store as one file each: spread over the files of a folder, or together in a database.
//!
//! A form of storage is one entry of [`FORMS`]. Each is read as what the agent's own export would write, so that the formats of
//! transcripts know nothing of files.

mod database;
mod hermes_compaction;
mod hermes_database;
mod opencode_database;
mod opencode_files;
mod openhands_folder;

use std::io;
use std::path::Path;

pub use hermes_database::FILE as HERMES_DATABASE;
pub use opencode_database::FILE as OPENCODE_DATABASE;

/// A form of storage.
struct Form {
    /// Reads the sessions that a path stands for, as the text of a recording, or returns `None` if it stands for none
    /// of this form.
    read: fn(&Path) -> Option<io::Result<Vec<u8>>>,
    /// Whether a file in a folder is a part of sessions that another file of the folder stands for.
    is_part: fn(&Path) -> bool,
}

static FORMS: &[Form] = &[opencode_files::FORM, openhands_folder::FORM, DATABASES];

const DATABASES: Form = Form { read: |path| database::read(path, SCHEMAS), is_part: |_| false };

/// How agents store sessions in databases.
const SCHEMAS: &[database::Schema] = &[opencode_database::SCHEMA, hermes_database::SCHEMA];

/// Reads the sessions that a path stands for, as the text of a recording. Returns none if the path is a recording itself.
///
/// # Errors
///
/// When a file of a session or a database cannot be read.
pub fn read_stored_sessions(path: &Path) -> Option<io::Result<Vec<u8>>> {
    FORMS.iter().find_map(|form| (form.read)(path))
}

/// Whether a file in a folder is a part of sessions that another file of the folder stands for.
pub fn is_part_of_session(path: &Path) -> bool {
    FORMS.iter().any(|form| (form.is_part)(path))
}

/// Whether a file has the name of an agent's database, but is one of another program.
pub fn is_foreign_database(path: &Path) -> bool {
    let is_named = |name: &str| path.file_name().is_some_and(|file| file == name);
    SCHEMAS.iter().any(|schema| is_named(schema.file)) && database::is_foreign(path, SCHEMAS)
}
