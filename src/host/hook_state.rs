//! What hooks of clients keep between two events: the results that they have changed, and the last error of each client.
//!
//! It is in the state folder of the user, `$XDG_STATE_HOME/trimtab/hooks` or `~/.local/state/trimtab/hooks`, which nobody else
//! can read. It contains texts of tool results.

#![expect(clippy::disallowed_methods, reason = "the state folder is read here")]

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::private;

/// How long what is known of a session is kept after its last changed result.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The largest file of a session, in bytes. The results of a session that changes more are not read again.
const MAX_SESSION_BYTES: u64 = 256 << 20;

/// The state of the hooks of a client.
#[derive(Clone, Debug)]
pub struct HookState {
    folder: PathBuf,
}

impl HookState {
    /// The state of the hooks of a client. Nothing is created before something is written.
    ///
    /// # Errors
    /// The user has no home directory.
    pub fn of(client: &str) -> Result<Self, String> {
        let folder = private::state_folder().ok_or("the home directory is not known; set XDG_STATE_HOME")?;
        Ok(Self { folder: folder.join("hooks").join(client) })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What has been added to a session, in order. Lines that are damaged are left out.
    ///
    /// # Errors
    /// The file of the session cannot be read.
    pub fn session<T: DeserializeOwned>(&self, session: &str) -> io::Result<Vec<T>> {
        let file = match File::open(self.session_path(session)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        // Some file systems have no locks; a line that is half written is left out then.
        let _ = file.lock_shared();
        if file.metadata()?.len() > MAX_SESSION_BYTES {
            return Err(io::Error::other("the file of the session is too large"));
        }
        let lines = BufReader::new(file).split(b'\n').collect::<io::Result<Vec<_>>>()?;
        Ok(lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Adds to a session. Files of sessions that have ended long ago are removed.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add<T: Serialize>(&self, session: &str, added: &T) -> io::Result<()> {
        let path = self.session_path(session);
        self.create()?;
        if !path.exists() {
            private::remove_old(&self.folder, "jsonl", KEPT);
        }
        let mut file = private::options().append(true).create(true).open(path)?;
        let _ = file.lock();
        // A line that a killed process has left incomplete is ended first.
        let line = format!("\n{}\n", serde_json::to_string(added)?);
        file.write_all(line.as_bytes())
    }

    /// The file of the last error.
    fn error_path(&self) -> PathBuf {
        self.folder.join("last-error.txt")
    }

    /// Keeps an error for `--status`.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_error(&self, text: &str) -> io::Result<()> {
        self.create()?;
        private::options().write(true).create(true).truncate(true).open(self.error_path())?.write_all(text.as_bytes())
    }

    /// Returns the last error, or `None` if there was none.
    pub fn last_error(&self) -> Option<String> {
        fs::read_to_string(self.error_path()).ok().filter(|text| !text.is_empty())
    }

    /// Waits until no other process changes the settings of a client, and keeps others from it while the file is open.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn lock(&self) -> io::Result<File> {
        self.create()?;
        let file =
            private::options().write(true).create(true).truncate(false).open(self.folder.join("install.lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn create(&self) -> io::Result<()> {
        private::create_folder(&self.folder)
    }

    /// The file of a session, whatever its id contains.
    fn session_path(&self, session: &str) -> PathBuf {
        let digest = Sha256::digest(session.as_bytes());
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("{name}.jsonl"))
    }
}
