//! Policy files with their tests, and the recordings that tests refer to.

use std::path::{Path, PathBuf};

use trimtab_analysis::test::Recordings;
use trimtab_base::source::SourceMap;
use trimtab_base::source::sanitize::one_line;
use trimtab_language::check::{CheckedFile, TestCase};
use trimtab_recordings::transcript::{self, ReadError, Transcript};

use crate::cli::console::{Console, Failure};
use crate::cli::project::Project;
use crate::cli::{input, policy};
use crate::host::TestRecordings;
use crate::pipeline::Compiled;

/// A checked policy file.
pub(crate) struct LoadedFile {
    pub(crate) name: String,
    pub(crate) sources: SourceMap,
    pub(crate) checked: CheckedFile,
    recordings: TestRecordings,
}

/// Reads and checks a file, or returns `None` if it has errors, which are printed.
pub(crate) fn file(path: &Path, project: &Project, console: &Console) -> Result<Option<LoadedFile>, Failure> {
    let name = input::display_name(path, None);
    Ok(LoadedFile::of(path, &name, policy::compile(path, &name, console)?, project))
}

impl LoadedFile {
    /// Returns a compiled file on the project's host, or `None` if it has errors.
    pub(crate) fn of(path: &Path, name: &str, compiled: Compiled, project: &Project) -> Option<Self> {
        let Compiled { sources, mut checked, .. } = compiled;
        project.apply_profile(&mut checked);
        let recordings = TestRecordings::of(path);
        checked.map(|checked| Self { name: name.to_owned(), sources, checked, recordings })
    }

    /// The tests, one per line.
    pub(crate) fn list(&self, chosen: &dyn Fn(&TestCase) -> bool) -> String {
        let line = |case: &TestCase| {
            let line = self.sources.get(case.head.source).map_or(1, |source| source.position(case.head.start).line);
            format!("{}:{line}: {}: {}\n", one_line(&self.name), case.policy, one_line(&case.name))
        };
        self.checked.tests.iter().filter(|case| chosen(case)).map(line).collect()
    }

    /// The recordings that the tests refer to.
    pub(crate) fn recordings(&self) -> impl Iterator<Item = PathBuf> {
        let paths = self.checked.tests.iter().filter_map(|case| case.given.transcript.as_ref());
        paths.map(|path| self.recordings.path(path.node.split('#').next().unwrap_or_default()))
    }
}

impl Recordings for LoadedFile {
    fn find(&self, path: &str) -> Result<Vec<Transcript>, String> {
        let bytes = self.recordings.read(path)?;
        let reading = transcript::read(&bytes, None);
        let invalid = |error: ReadError| format!("{}: {}", self.recordings.path(path).display(), error.message);
        reading.map(|reading| reading.transcripts).map_err(invalid)
    }
}
