//! Policy files with their tests, and the recordings that tests refer to.

use std::path::{Path, PathBuf};

use trimtab_analysis::test::Recordings;
use trimtab_base::source::sanitize::one_line;
use trimtab_base::source::{SourceMap, has_root};
use trimtab_language::check::{CheckedFile, TestCase};
use trimtab_recordings::transcript::{self, Transcript};

use crate::cli::console::{Console, Failure};
use crate::cli::project::Project;
use crate::cli::{input, policy};
use crate::host::file::{self, MAX_RECORDING_BYTES};
use crate::host::project_root;
use crate::pipeline::Compiled;

/// A checked policy file.
pub(crate) struct LoadedFile {
    pub(crate) name: String,
    pub(crate) sources: SourceMap,
    pub(crate) checked: CheckedFile,
    /// The directory to which paths in the file are relative.
    folder: PathBuf,
    /// The directory that contains every path.
    root: PathBuf,
}

/// Reads and checks a file; none if it has errors, which are printed.
pub(crate) fn file(path: &Path, project: &Project, console: &Console) -> Result<Option<LoadedFile>, Failure> {
    let name = input::display_name(path, None);
    Ok(LoadedFile::of(path, &name, policy::compile(path, &name, console)?, project))
}

/// The nearest ancestor that is the root of a project, else the directory itself.
fn root(folder: &Path) -> PathBuf {
    let Ok(start) = here(folder).canonicalize() else { return folder.to_path_buf() };
    project_root(&start)
}

fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

impl LoadedFile {
    /// A compiled file on the project's host; none if it has errors.
    pub(crate) fn of(path: &Path, name: &str, compiled: Compiled, project: &Project) -> Option<Self> {
        let Compiled { sources, mut checked, .. } = compiled;
        project.apply_profile(&mut checked);
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let root = root(&folder);
        checked.map(|checked| Self { name: name.to_owned(), sources, checked, folder, root })
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
        paths.map(|path| self.folder.join(path.node.split('#').next().unwrap_or_default()))
    }
}

impl Recordings for LoadedFile {
    fn find(&self, path: &str) -> Result<Vec<Transcript>, String> {
        if has_root(path) {
            return Err(format!("`{path}` is not a relative path: write it relative to the directory of the policy"));
        }
        let full = self.folder.join(path);
        let real = full.canonicalize().map_err(|error| format!("cannot read {}: {error}", full.display()))?;
        if !real.starts_with(&self.root) {
            return Err(format!("`{path}` is outside the project"));
        }
        let read = file::read_regular(&real, MAX_RECORDING_BYTES);
        let bytes = read.map_err(|error| format!("cannot read {}: {error}", full.display()))?;
        let reading = transcript::read(&bytes, None);
        reading.map(|reading| reading.transcripts).map_err(|error| format!("{}: {}", full.display(), error.message))
    }
}
