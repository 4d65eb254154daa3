//! Files of git revisions and changed lines, from the command `git`.

#![expect(clippy::disallowed_methods, reason = "starting git is what this file is for")]

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process;

use crate::source::{LoadError, LoadedSource, SourceLoader, normalized_path, resolved_path};

/// The files of one revision of a repository. Their imports are resolved in the same revision.
#[derive(Clone, Debug)]
pub struct Revision {
    folder: PathBuf,
    name: String,
}

impl Revision {
    /// The revision with this name in the repository of a folder; the empty name is the index.
    ///
    /// # Errors
    /// If git, the repository or the revision is missing, with a message.
    pub fn open(folder: &Path, name: &str) -> Result<Self, String> {
        run_git(folder, ["rev-parse", "--show-toplevel"])?;
        if !name.is_empty() {
            check_revision(folder, name)?;
        }
        Ok(Self { folder: folder.to_path_buf(), name: name.to_owned() })
    }

    /// A file of the revision by its path from the root of the repository; or from the folder if the path begins with
    /// `./` or `../` or does not exist at the root.
    ///
    /// # Errors
    /// If there is no such file, or it is not text.
    pub fn file(&self, path: &str) -> Result<LoadedSource, String> {
        let prefix = line(&run_git(&self.folder, ["rev-parse", "--show-prefix"])?);
        let (from_root, from_here) = (normalized_path(path), resolved_path(&format!("{prefix}x"), path));
        let is_relative = path.starts_with("./") || path.starts_with("../") || self.text(&from_root).is_err();
        let path = if is_relative { from_here } else { from_root };
        match self.text(&path) {
            Ok(text) => Ok(LoadedSource { name: self.named(&path), text }),
            Err(LoadError::Missing) => Err(format!("there is no file `{path}` in `{}`", self.display_name())),
            Err(reason) => Err(format!("{path}: {reason}")),
        }
    }

    fn text(&self, path: &str) -> Result<String, LoadError> {
        let object = self.named(path);
        let bytes = run_git(&self.folder, ["cat-file", "blob", &object]).map_err(|_| LoadError::Missing)?;
        String::from_utf8(bytes).map_err(|_| LoadError::Unreadable("it is not UTF-8 text".to_owned()))
    }

    fn named(&self, path: &str) -> String {
        format!("{}:{path}", self.name)
    }

    fn display_name(&self) -> &str {
        if self.name.is_empty() { "the index" } else { &self.name }
    }
}

impl SourceLoader for Revision {
    fn load(&mut self, from: &str, path: &str) -> Result<LoadedSource, LoadError> {
        if path.starts_with('/') {
            return Err(LoadError::Absolute);
        }
        let from = from.strip_prefix(&self.named("")).unwrap_or(from);
        let path = resolved_path(from, path);
        if path.starts_with("../") {
            return Err(LoadError::Outside("the repository".to_owned()));
        }
        let text = self.text(&path)?;
        Ok(LoadedSource { name: self.named(&path), text })
    }
}

/// The lines that have changed since a revision, including uncommitted changes.
#[derive(Clone, Debug)]
pub struct Changes {
    root: PathBuf,
    revision: String,
    check_revision: HashSet<PathBuf>,
    changed: HashSet<PathBuf>,
    lines: HashMap<PathBuf, Lines>,
}

/// Lines of a file, from 1.
type Lines = Vec<RangeInclusive<usize>>;

impl Changes {
    /// The changes since this revision in the repository of a folder.
    ///
    /// # Errors
    /// If git, the repository or the revision is missing, with a message.
    pub fn since(folder: &Path, revision: &str) -> Result<Self, String> {
        let root = PathBuf::from(line(&run_git(folder, ["rev-parse", "--show-toplevel"])?));
        check_revision(&root, revision)?;
        let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
        let check_revision = paths(&run_git(&root, ["ls-files", "-z"])?);
        let changed = run_git(&root, [DIFF, &["--name-only", "-z", revision, "--"]].concat())?;
        Ok(Self {
            root,
            revision: revision.to_owned(),
            check_revision,
            changed: paths(&changed),
            lines: HashMap::new(),
        })
    }

    /// Whether a file has changed. An untracked file has.
    ///
    /// # Errors
    /// If the file is outside the repository.
    pub fn is_changed(&self, file: &Path) -> Result<bool, String> {
        let path = self.path(file)?;
        Ok(self.changed.contains(&path) || !self.check_revision.contains(&path))
    }

    /// Whether one of these lines of a file has changed.
    ///
    /// # Errors
    /// If the file is outside the repository.
    pub fn intersects(&mut self, file: &Path, lines: &RangeInclusive<usize>) -> Result<bool, String> {
        let path = self.path(file)?;
        if !self.check_revision.contains(&path) {
            return Ok(true);
        }
        if !self.changed.contains(&path) {
            return Ok(false);
        }
        if !self.lines.contains_key(&path) {
            let mut literal = std::ffi::OsString::from(":(top,literal)");
            literal.push(&path);
            let plain = [DIFF, &["-U0", &self.revision, "--"]].concat();
            let arguments = plain.iter().map(|word| OsStr::new(*word)).chain([literal.as_os_str()]);
            let text = run_git(&self.root, arguments)?;
            self.lines.insert(path.clone(), hunks(&String::from_utf8_lossy(&text)));
        }
        let meets = |hunk: &RangeInclusive<usize>| hunk.start() <= lines.end() && lines.start() <= hunk.end();
        Ok(self.lines.get(&path).is_some_and(|all| all.iter().any(meets)))
    }

    /// The path of a file from the root of the repository.
    fn path(&self, file: &Path) -> Result<PathBuf, String> {
        let full = file.canonicalize().map_err(|error| format!("{}: {error}", file.display()))?;
        let inside = full.strip_prefix(&self.root).map(Path::to_path_buf);
        inside.map_err(|_| format!("{} is outside the repository {}", file.display(), self.root.display()))
    }
}

/// The root of the repository of a folder: the nearest folder above it that contains `.git`.
pub fn repository_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// The URLs of the remotes of a folder's repository, that of `origin` first; empty without git or a repository.
pub fn remote_urls(folder: &Path) -> Vec<String> {
    let output = run_git(folder, ["config", "--get-regexp", r"^remote\..*\.url$"]).unwrap_or_default();
    let text = String::from_utf8_lossy(&output);
    let mut remotes: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    remotes.sort_by_key(|(name, _)| *name != "remote.origin.url");
    remotes.into_iter().map(|(_, url)| url.to_owned()).collect()
}

/// The arguments of `git diff`, independent of the user's configuration.
const DIFF: &[&str] = &["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-relative"];

/// The new lines of each hunk of a diff without context. For a hunk that only removes lines, the lines around it.
fn hunks(diff: &str) -> Lines {
    let heads = diff.lines().filter_map(|line| line.strip_prefix("@@ -")?.split_once(" +")?.1.split(' ').next());
    let numbers = heads.filter_map(|head| {
        let (first, count) = head.split_once(',').unwrap_or((head, "1"));
        Some((first.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    });
    let lines = |(first, count): (usize, usize)| match count {
        0 => first.max(1)..=first + 1,
        _ => first..=first + count - 1,
    };
    numbers.map(lines).collect()
}

fn check_revision(folder: &Path, revision: &str) -> Result<(), String> {
    let unknown = || format!("unknown git revision `{revision}`");
    if revision.starts_with('-') {
        return Err(unknown());
    }
    let tree = format!("{revision}^{{tree}}");
    run_git(folder, ["rev-parse", "--verify", "--quiet", &tree]).map(drop).map_err(|_| unknown())
}

/// Runs git; returns its output, or its error message.
fn run_git<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Result<Vec<u8>, String> {
    let mut git = process::Command::new("git");
    git.args(["-c", "core.quotePath=false"]).args(arguments).current_dir(folder).stdin(process::Stdio::null());
    let output = git.output().map_err(|error| format!("git did not start: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.lines().next().unwrap_or("it gave no reason");
    Err(format!("git: {}", reason.trim_start_matches("fatal: ")))
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']).to_owned()
}

/// Parses paths that each end with a zero byte.
fn paths(bytes: &[u8]) -> HashSet<PathBuf> {
    let each = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    each.map(|path| PathBuf::from(String::from_utf8_lossy(path).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_give_the_new_lines() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -4,0 +5,3 @@ policy\n+c\n@@ -9,2 +12,0 @@\n-d\n";
        assert_eq!(hunks(diff), [1..=1, 5..=7, 12..=13]);
        assert_eq!(hunks("+@@ -1 +1 @@\n"), []);
    }
}
