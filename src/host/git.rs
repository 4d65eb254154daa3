//! Files of git revisions and changed lines, from the command `git`.

mod blob;
mod changes;
mod command;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use trimtab_base::source::{LoadError, LoadedSource, SourceLoader, normalized_path, resolved_path};

pub use self::changes::Changes;
use self::command::run;

/// The files of one revision of the repository of the working directory. Their imports are resolved in the same revision.
#[derive(Clone, Debug)]
pub struct Revision {
    name: String,
}

impl Revision {
    /// The revision with this name; the empty name is the index.
    ///
    /// # Errors
    /// If git, the repository or the revision is missing, with a message.
    pub fn open(name: &str) -> Result<Self, String> {
        command::root()?;
        if !name.is_empty() {
            check_revision(name)?;
        }
        Ok(Self { name: name.to_owned() })
    }

    /// A file of the revision by its path from the root of the repository; or from the working directory if the path begins
    /// with `./` or `../` or does not exist at the root.
    ///
    /// # Errors
    /// If there is no such file, or it is not text.
    pub fn file(&self, path: &str) -> Result<LoadedSource, String> {
        let prefix = line(&run(["rev-parse", "--show-prefix"])?).to_string_lossy().into_owned();
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
        let bytes = run(["cat-file", "blob", &object]).map_err(|_| LoadError::Missing)?;
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

/// The URLs of the remotes of a repository, that of `origin` first; empty without git, or if the repository is neither that
/// of the working directory nor one with a folder `.git`.
pub fn remote_urls(root: &Path) -> Vec<String> {
    let settings = root.join(".git").join("config");
    let place: Vec<&OsStr> = if settings.is_file() {
        vec!["--no-includes".as_ref(), "--file".as_ref(), settings.as_os_str()]
    } else if command::root().is_ok_and(|here| root.canonicalize().is_ok_and(|root| root == here)) {
        vec!["--no-includes".as_ref(), "--local".as_ref()]
    } else {
        return Vec::new();
    };
    let query = ["--get-regexp".as_ref(), r"^remote\..*\.url$".as_ref()];
    let arguments = std::iter::once(OsStr::new("config")).chain(place).chain(query);
    let output = run(arguments).unwrap_or_default();
    let text = String::from_utf8_lossy(&output);
    let mut remotes: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    remotes.sort_by_key(|(name, _)| *name != "remote.origin.url");
    remotes.into_iter().map(|(_, url)| url.to_owned()).collect()
}

fn check_revision(revision: &str) -> Result<(), String> {
    let unknown = || format!("unknown git revision `{revision}`");
    if revision.starts_with('-') {
        return Err(unknown());
    }
    let tree = format!("{revision}^{{tree}}");
    run(["rev-parse", "--verify", "--quiet", &tree]).map(drop).map_err(|_| unknown())
}

/// The name that git has for the file of a revision at this path from the root.
fn object(revision: &str, path: &Path) -> OsString {
    let mut name = OsString::from(revision);
    name.push(":");
    if std::path::MAIN_SEPARATOR == '/' {
        name.push(path);
    } else {
        name.push(path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
    }
    name
}

/// Whether a tree names the object, which may be missing in a partial clone.
fn is_in_tree(object: &OsStr) -> bool {
    run([OsStr::new("rev-parse"), "--verify".as_ref(), "--quiet".as_ref(), object]).is_ok()
}

/// A line of output without its end.
fn line(bytes: &[u8]) -> OsString {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    os_string(bytes.get(..end).unwrap_or_default())
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
