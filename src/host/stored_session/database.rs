//! `SQLite` databases in which coding agents store their sessions. They are opened for reading only.

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value as Json};
use tempfile::TempDir;

use crate::host::file;
use crate::host::output::OutputFile;

/// How one coding agent stores its sessions.
pub(super) struct Schema {
    /// The agent.
    pub(super) agent: &'static str,
    /// The name of the database.
    pub(super) file: &'static str,
    /// The tables that its database has.
    pub(super) tables: &'static [&'static str],
    /// Writes all sessions, each on a line.
    pub(super) export: fn(&Database) -> io::Result<String>,
}

/// How a database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Returns the sessions of a database with one of these schemas, or `None` if the file is no database.
pub(super) fn read(path: &Path, schemas: &[Schema]) -> Option<io::Result<Vec<u8>>> {
    // Pipes can be read only once.
    is_database(path).then(|| Database::open(path)?.export(schemas).map(String::into_bytes))
}

/// Whether a file is a database of another program, with none of these schemas. One that cannot be read is not.
pub(super) fn is_foreign(path: &Path, schemas: &[Schema]) -> bool {
    is_database(path) && Database::open(path).is_ok_and(|database| matches!(database.schema(schemas), Ok(None)))
}

fn is_database(path: &Path) -> bool {
    // Pipes can be read only once.
    std::fs::metadata(path).is_ok_and(|file| file.is_file()) && begins_like_a_database(path)
}

fn begins_like_a_database(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    file::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == MAGIC
}

/// A database that is open for reading.
pub(super) struct Database {
    connection: Connection,
    /// How many bytes of texts can still be read. What a database contains is in its file once, so that one which has more
    /// is damaged on purpose.
    left: Cell<u64>,
    /// The folder of a copy, which is removed after the connection is closed.
    _copy: Option<TempDir>,
}

/// A row of a table, without what is null.
pub(super) type Row = Map<String, Json>;

impl Database {
    fn open(path: &Path) -> io::Result<Self> {
        let log = with_suffix(path, "-wal");
        if size(&log) == 0 {
            // Without a log nobody writes, and SQLite need not put its own files beside the database.
            return Self::connect(path, "mode=ro&immutable=1", size(path), None);
        }
        let bytes = size(path) + size(&log);
        if size(&with_suffix(path, "-shm")) > 0 {
            // Not through SQLite, so that a log that links elsewhere is refused, and no output replaces it.
            file::open(&log)?;
            return Self::connect(path, "mode=ro", bytes, None);
        }
        // An agent that was killed has left its log without the index, which SQLite would write beside it.
        let folder = tempfile::tempdir()?;
        let copy = folder.path().join("copy.db");
        copy_file(path, &copy)?;
        copy_file(&log, &with_suffix(&copy, "-wal"))?;
        Self::connect(&copy, "mode=ro", bytes, Some(folder))
    }

    /// Opens a database whose files have so many bytes.
    fn connect(path: &Path, mode: &str, bytes: u64, copy: Option<TempDir>) -> io::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(format!("{}?{mode}", uri(path)), flags)?;
            // The file may come from anyone.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(bytes).unwrap_or(i32::MAX))?;
            // One state of the database, while its agent goes on writing.
            connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; BEGIN")?;
            Ok(connection)
        };
        Ok(Self { connection: open().map_err(failed)?, left: Cell::new(bytes), _copy: copy })
    }

    /// The schema of the tables, if it is one of these.
    fn schema<'a>(&self, schemas: &'a [Schema]) -> io::Result<Option<&'a Schema>> {
        for schema in schemas {
            if self.has_tables(schema.tables).map_err(failed)? {
                return Ok(Some(schema));
            }
        }
        Ok(None)
    }

    /// The sessions of whichever agent the tables belong to.
    fn export(&self, schemas: &[Schema]) -> io::Result<String> {
        let Some(schema) = self.schema(schemas)? else {
            let agents: Vec<&str> = schemas.iter().map(|schema| schema.agent).collect();
            return Err(io::Error::other(format!("it is an SQLite database, but not one of {}", agents.join(" or "))));
        };
        let text = (schema.export)(self)?;
        if text.is_empty() {
            return Err(io::Error::other(format!("the database of {} has no session with messages", schema.agent)));
        }
        Ok(text)
    }

    /// Whether there are all of these tables. A view or a virtual table is none: reading it could run forever.
    fn has_tables(&self, names: &[&str]) -> rusqlite::Result<bool> {
        let sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1 AND sql LIKE 'CREATE TABLE%'";
        let mut query = self.connection.prepare(sql)?;
        for name in names {
            if query.query_row([name], |row| row.get::<_, u32>(0))? != 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The rows of a table in an order of its columns.
    pub(super) fn rows(&self, table: &str, order: &str) -> io::Result<Vec<Row>> {
        self.read_rows(table, order)
            .map_err(failed)?
            .ok_or_else(|| io::Error::other("the database is damaged: it has more text than its file can hold"))
    }

    fn read_rows(&self, table: &str, order: &str) -> rusqlite::Result<Option<Vec<Row>>> {
        let mut query = self.connection.prepare(&format!("SELECT * FROM {table} ORDER BY {order}"))?;
        let names: Vec<String> = query.column_names().map(str::to_owned).collect();
        let (mut rows, mut found) = (query.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            let mut object = Row::new();
            // A row takes a byte even if it is empty.
            let mut bytes = 1;
            for (at, name) in names.iter().enumerate() {
                let value = match row.get_ref(at)? {
                    ValueRef::Null => continue,
                    ValueRef::Integer(number) => number.into(),
                    ValueRef::Real(number) => number.into(),
                    ValueRef::Text(text) | ValueRef::Blob(text) => {
                        bytes += text.len();
                        String::from_utf8_lossy(text).into()
                    }
                };
                object.insert(name.clone(), value);
            }
            let Some(left) = self.left.get().checked_sub(bytes as u64) else { return Ok(None) };
            self.left.set(left);
            found.push(object);
        }
        Ok(Some(found))
    }
}

/// The text of a column; empty if it has none.
pub(super) fn text<'a>(row: &'a Row, column: &str) -> &'a str {
    row.get(column).and_then(Json::as_str).unwrap_or_default()
}

/// Moves the text of a column out of a row; empty if it has none.
pub(super) fn take_text(row: &mut Row, column: &str) -> String {
    match row.remove(column) {
        Some(Json::String(text)) => text,
        _ => String::new(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is a function for `map_err`")]
fn failed(error: rusqlite::Error) -> io::Error {
    io::Error::other(format!("the database cannot be read: {error}"))
}

/// The number of bytes of a file. 0 if there is no such file.
fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = OutputFile::create(to).map_err(io::Error::other)?;
    io::copy(&mut file::open(from)?, &mut copy)?;
    copy.commit().map_err(io::Error::other)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// A path as `SQLite` takes it with options after it.
fn uri(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut uri = String::from(if cfg!(windows) { "file:///" } else { "file:" });
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b':' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            _ => uri += &format!("%{byte:02x}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests;
