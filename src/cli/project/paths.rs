//! The files that the settings name: regular files inside the project.

use std::path::{Path, PathBuf};

use smol_str::SmolStr;
use trimtab_analysis::config::{Config, error};
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Spanned, has_root};

use super::Project;
use crate::cli::console::Failure;
use crate::cli::input;
use crate::host::file::MAX_RECORDING_BYTES;
use crate::host::{joined, repository_root};

/// The directory that contains every file that settings may name: the root of the repository, else that of the settings.
fn boundary(root: &Path) -> &Path {
    repository_root(root).unwrap_or(root)
}

/// The paths that lead out of the project. `root` is the directory of the settings, without symbolic links.
pub(super) fn problems(config: &Config, root: &Path) -> Vec<Diagnostic> {
    let outside = config.named_paths().filter(|path| !has_root(&path.node) && !is_inside(&path.node, root));
    outside.map(|path| error::outside_project(path, &boundary(root).display().to_string())).collect()
}

/// Whether a path or a glob leads to files inside the project, as far as links in the part before the first wildcard tell.
fn is_inside(path: &str, root: &Path) -> bool {
    let boundary = boundary(root);
    let plain: PathBuf = Path::new(path).components().take_while(|part| !input::is_pattern(part.as_os_str())).collect();
    let is_inside = |path: &str| joined(root, path).is_some_and(|path| path.starts_with(boundary));
    let leads_out = root.join(plain).canonicalize().is_ok_and(|real| !real.starts_with(boundary));
    is_inside(path) && !leads_out
}

impl Project {
    /// The files of a path or a glob of the settings, relative to the working directory.
    ///
    /// # Errors
    /// A file is not a regular one, or is outside the project, with a message.
    pub(in super::super) fn files(&self, path: &Spanned<SmolStr>, endings: &[&str]) -> Result<Vec<PathBuf>, String> {
        let pattern = self.resolve(path);
        let files = input::files(&[pattern], endings).map_err(Failure::reason)?;
        files.iter().try_for_each(|file| self.check(file))?;
        Ok(files)
    }

    /// A path of the settings, relative to the working directory.
    pub(in super::super) fn resolve(&self, path: &Spanned<SmolStr>) -> PathBuf {
        self.folder().join(path.node.as_str())
    }

    /// The directory of the settings, relative to the working directory; empty without settings, or if it is that one.
    pub(in super::super) fn folder(&self) -> PathBuf {
        self.root.as_deref().map(super::relative_to_here).unwrap_or_default()
    }

    /// Fails unless a file that the settings name may be read.
    pub(in super::super) fn check(&self, file: &Path) -> Result<(), String> {
        let name = file.display();
        let real = file.canonicalize().map_err(|error| format!("cannot read {name}: {error}"))?;
        if let Some(boundary) = self.root.as_deref().map(boundary).filter(|boundary| !real.starts_with(boundary)) {
            return Err(format!("{name} leads out of the project {}", boundary.display()));
        }
        let metadata = real.metadata().map_err(|error| format!("cannot read {name}: {error}"))?;
        if !metadata.is_file() {
            return Err(format!("{name} is not a regular file"));
        }
        if metadata.len() > MAX_RECORDING_BYTES {
            let most = MAX_RECORDING_BYTES >> 20;
            return Err(format!("{name} has more than {most} MiB, the limit for files that the settings name"));
        }
        Ok(())
    }
}
