//! Waiting for files to change: their times and sizes are looked at again and again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(300);

/// When a file was changed last, and its size; none when it is not there.
type State = Option<(SystemTime, u64)>;

/// Files as they were.
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

    /// Looks at more files.
    pub(super) fn add(&mut self, paths: impl Iterator<Item = PathBuf>) {
        for path in paths {
            let now = state(&path);
            self.files.entry(path).or_insert(now);
        }
    }

    /// Returns when one of the files has changed, or when `listed` gives others than at first.
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
