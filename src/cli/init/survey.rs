//! What a directory has already: its repository, settings, policies and recordings.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use trimtab_analysis::config;

use crate::cli::console::{Console, Failure};
use crate::cli::glob::PathGlob;
use crate::cli::walk::Walk;
use crate::cli::{input, project};
use crate::host;

/// The directory and the file of the starter policy, unless the settings name other paths.
const POLICIES: &str = "policies";
const STARTER: &str = "agent.trim";
/// The directory in which recordings for simulations are expected.
pub(super) const RECORDINGS: &str = "recordings";

const ENDINGS: &[&str] = &["trim"];
/// How deep and among how many files policies are searched in a directory without settings, which can be anything.
const MAX_DEPTH: usize = 6;
const MAX_FILES: usize = 50_000;

/// A project as it is before files are written.
#[derive(Debug)]
pub(super) struct Survey {
    /// The directory of the settings, without symbolic links. It may not exist.
    pub(super) root: PathBuf,
    /// Whether existing settings above the given directory count for it.
    pub(super) is_below_settings: bool,
    /// The root of the repository, else that of the project. Nothing is written outside.
    pub(super) repository: PathBuf,
    /// The policy files.
    pub(super) policies: Vec<PathBuf>,
    /// The paths, from the root, that `trimtab ci` checks with the settings to write.
    pub(super) paths: Vec<String>,
    /// The path of the starter policy.
    pub(super) starter: PathBuf,
    /// Whether there are recordings in the project.
    pub(super) has_recordings: bool,
}

impl Survey {
    /// Looks at a directory. Errors in existing settings are printed and end the subcommand.
    pub(super) fn of(directory: &Path, console: &Console) -> Result<Self, Failure> {
        let (directory, existing) = absolute(directory)?;
        let marked = host::project_root(&existing);
        let settings = marked.join(config::NAME);
        let is_below_settings = settings.is_file() && marked != directory;
        let (root, paths, policies) = if settings.is_file() {
            let project = project::read(&settings, console)?;
            let paths: Vec<String> = project.config.paths.iter().map(|path| path.node.to_string()).collect();
            let policies = checked_files(&marked, &paths);
            (marked, paths, policies)
        } else {
            let policies = if directory == existing { policy_files(&directory) } else { Vec::new() };
            let paths = top_paths(&directory, &policies);
            (directory, paths, policies)
        };
        let repository = host::repository_root(&existing).unwrap_or(&root).to_path_buf();
        let starter = root.join(starter_path(&paths, &root));
        let has_recordings = has_recordings(&root.join(RECORDINGS));
        let paths = if paths.is_empty() { vec![POLICIES.to_owned()] } else { paths };
        Ok(Self { root, is_below_settings, repository, policies, paths, starter, has_recordings })
    }

    /// The path of a file from the root.
    pub(super) fn inside<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// The absolute path of a directory, which may not exist, and its nearest part that exists.
fn absolute(directory: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let fail = |reason: &str| Failure::Message(format!("cannot use {}: {reason}", directory.display()));
    match std::fs::canonicalize(directory) {
        Ok(path) if path.is_dir() => Ok((path.clone(), path)),
        Ok(_) => Err(fail("it is not a directory")),
        Err(_) if directory.is_symlink() => Err(fail("it is a symbolic link to a missing directory")),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let name = directory.file_name().ok_or_else(|| fail("there is no such directory"))?;
            let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let (parent, existing) = absolute(parent)?;
            Ok((parent.join(name), existing))
        }
        Err(error) => Err(fail(&error.to_string())),
    }
}

/// The policy files that existing settings select.
fn checked_files(root: &Path, paths: &[String]) -> Vec<PathBuf> {
    let default = [String::new()];
    let paths = if paths.is_empty() { &default } else { paths };
    let files = |path: &String| input::files(&[root.join(path)], ENDINGS).unwrap_or_default();
    // One of the paths may not exist yet.
    paths.iter().flat_map(files).filter(|path| path.is_file()).collect()
}

/// The policy files below a directory.
fn policy_files(directory: &Path) -> Vec<PathBuf> {
    let files = Walk::new(directory, Some(MAX_DEPTH)).take(MAX_FILES).filter_map(Result::ok);
    let files = files.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let is_policy = |path: &PathBuf| ENDINGS.iter().any(|ending| path.extension().is_some_and(|end| end == *ending));
    files.map(ignore::DirEntry::into_path).filter(is_policy).collect()
}

/// The directories at the top of the project that contain its policies; `.` if some are in none.
fn top_paths(root: &Path, policies: &[PathBuf]) -> Vec<String> {
    let inside = policies.iter().filter_map(|path| path.strip_prefix(root).ok());
    let top = |path: &Path| match path.components().next().filter(|_| path.components().count() > 1) {
        Some(first) => first.as_os_str().to_string_lossy().into_owned(),
        None => ".".to_owned(),
    };
    let tops: BTreeSet<String> = inside.map(top).collect();
    if tops.contains(".") { vec![".".to_owned()] } else { tops.into_iter().collect() }
}

/// The path of the starter policy from the root: one that `trimtab ci` checks.
fn starter_path(paths: &[String], root: &Path) -> PathBuf {
    let path = paths.iter().find_map(|path| {
        let wanted = Path::new(path);
        let is_glob = |text: &str| text.contains(['*', '?', '[', '{']);
        if is_glob(path) {
            let plain = wanted.components().take_while(|part| !is_glob(&part.as_os_str().to_string_lossy()));
            let starter = plain.collect::<PathBuf>().join(STARTER);
            return PathGlob::new(path).ok()?.is_match(&starter).then_some(starter);
        }
        if wanted.extension().is_some_and(|end| ENDINGS.iter().any(|ending| end == *ending)) {
            return Some(wanted.to_path_buf());
        }
        (wanted != Path::new(".") && !root.join(wanted).is_file()).then(|| wanted.join(STARTER))
    });
    path.unwrap_or_else(|| Path::new(POLICIES).join(STARTER))
}

/// Whether a directory contains files that may be recordings.
fn has_recordings(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).any(|path| path.extension().is_some_and(|end| end == "jsonl" || end == "json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starter_policy_is_where_the_settings_look_for_policies() {
        let root = tempfile::tempdir().expect("a temporary directory");
        for (paths, expected) in [
            (&[][..], "policies/agent.trim"),
            (&["rules"], "rules/agent.trim"),
            (&["rules/main.trim"], "rules/main.trim"),
            (&["rules/*.trim"], "rules/agent.trim"),
            (&["rules/**/*.trim"], "rules/agent.trim"),
            (&["rules/x*.trim", "other"], "other/agent.trim"),
            (&["."], "policies/agent.trim"),
        ] {
            let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
            assert_eq!(starter_path(&paths, root.path()), Path::new(expected), "{paths:?}");
        }
    }

    #[test]
    fn the_settings_name_the_directories_of_existing_policies() {
        let top = |files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(|file| Path::new("/p").join(file)).collect();
            top_paths(Path::new("/p"), &files)
        };
        assert_eq!(top(&["b/x.trim", "a/deep/y.trim", "b/z.trim"]), ["a", "b"]);
        assert_eq!(top(&["b/x.trim", "y.trim"]), ["."]);
        assert!(top(&[]).is_empty());
    }
}
