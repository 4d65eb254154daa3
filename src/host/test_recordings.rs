//! The recordings that `test` blocks name.

use std::path::{Path, PathBuf};

use trimtab_base::source::has_root;

use super::file::{self, MAX_RECORDING_BYTES};
use super::root::{folder, is_marked, project_root};

/// The recordings that the tests of a policy file name: relative to the file, and inside its project only.
///
/// ```no_run
/// let policy = trimtab::compile_file("agent.trim")?;
/// let recordings = trimtab::TestRecordings::of("agent.trim");
/// let result = policy.test(&|name| recordings.read(name))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TestRecordings {
    /// The folder to which names are relative.
    folder: PathBuf,
    /// The root of the project, without symbolic links, or `None` if the folder does not exist.
    root: Option<PathBuf>,
}

impl TestRecordings {
    /// The recordings for the tests of this policy file.
    pub fn of(policy: impl AsRef<Path>) -> Self {
        let policy = policy.as_ref();
        let root = folder(policy).canonicalize().ok().map(|folder| project_root(&folder));
        Self { folder: policy.parent().map(Path::to_path_buf).unwrap_or_default(), root }
    }

    /// The path of the recording with this name in a test. It may be one that is not read.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Reads the recording with this name in a test.
    ///
    /// # Errors
    /// The name is not relative, or leads out of the project, also through a symbolic link; or there is no regular file of at most
    /// 1 GiB. The text is the reason.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        if has_root(name) {
            return Err(format!("`{name}` is not a relative path: write it relative to the directory of the policy"));
        }
        let path = self.path(name);
        let unreadable = |error| format!("cannot read {}: {error}", path.display());
        let file = path.canonicalize().map_err(unreadable)?;
        match &self.root {
            Some(root) if file.starts_with(root) => {}
            // Nothing marks the root, so it is the folder of the policy.
            Some(root) if !is_marked(root) => {
                return Err(format!(
                    "`{name}` is outside the project, which is the directory `{}`: add a `trimtab.toml` to a directory \
                     that contains the policy and the recording",
                    folder(&self.folder.join("policy")).display()
                ));
            }
            _ => return Err(format!("`{name}` is outside the project")),
        }
        file::read_regular(&file, MAX_RECORDING_BYTES).map_err(unreadable)
    }
}
