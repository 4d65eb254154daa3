//! Waits for files to change by polling their modification times and sizes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often files are polled.
const PAUSE: Duration = Duration::from_millis(300);

/// The modification time and the size of a file, or `None` if it does not exist.
type State = Option<(SystemTime, u64)>;

/// The states of files at one time.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    files: BTreeMap<PathBuf, State>,
    listed: Vec<PathBuf>,
}

impl Snapshot {
    pub(super) fn of(paths: &[PathBuf]) -> Self {
        let mut seen = Self { files: BTreeMap::new(), listed: paths.to_vec() };
        seen.add(paths.iter().cloned());
        seen
    }

    /// Adds files.
    pub(super) fn add(&mut self, paths: impl Iterator<Item = PathBuf>) {
        for path in paths {
            let now = state(&path);
            self.files.entry(path).or_insert(now);
        }
    }

    /// Returns when a file has changed, or when `listed` returns other files than at first.
    pub(super) fn wait(&self, listed: impl Fn() -> Vec<PathBuf>) {
        while self.files.iter().all(|(path, before)| state(path) == *before) && listed() == self.listed {
            std::thread::sleep(PAUSE);
        }
    }
}

fn state(path: &Path) -> State {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}
