//! Loading the files that a policy file imports: the trait, and two loaders without a file system.

use std::collections::BTreeMap;
use std::fmt;

/// A source that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedSource {
    /// Its name, the same for every file that imports it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a source could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The caller passed a text without a loader for other files.
    NoLoader,
    /// The file does not exist.
    Missing,
    /// The path is absolute.
    Absolute,
    /// The path leaves this folder, such as "the repository".
    Outside(String),
    /// The file exists but cannot be read, for this reason.
    Unreadable(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLoader => out.write_str("this text was passed without access to other files"),
            Self::Missing => out.write_str("there is no such file"),
            Self::Absolute => out.write_str("the path is absolute"),
            Self::Outside(root) => write!(out, "the path leaves {root}"),
            Self::Unreadable(reason) => out.write_str(reason),
        }
    }
}

impl std::error::Error for LoadError {}

/// Loads the sources that other sources import.
pub trait SourceLoader {
    /// Loads the source at `path`, as written in the source named `from`.
    ///
    /// # Errors
    /// The source does not exist, or access to it is refused.
    fn load(&mut self, from: &str, path: &str) -> Result<LoadedSource, LoadError>;
}

/// A loader that refuses every import.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl SourceLoader for NoSources {
    fn load(&mut self, _: &str, _: &str) -> Result<LoadedSource, LoadError> {
        Err(LoadError::NoLoader)
    }
}

/// A loader for texts in memory, each with a path relative to one root.
#[derive(Clone, Debug, Default)]
pub struct MemorySources {
    texts: BTreeMap<String, String>,
}

impl MemorySources {
    /// Adds a text under a path such as `common/limits.trim`.
    pub fn with(mut self, path: impl AsRef<str>, text: impl Into<String>) -> Self {
        self.texts.insert(normalized_path(path.as_ref()), text.into());
        self
    }
}

impl SourceLoader for MemorySources {
    fn load(&mut self, from: &str, path: &str) -> Result<LoadedSource, LoadError> {
        if path.starts_with('/') {
            return Err(LoadError::Absolute);
        }
        let name = resolved_path(from, path);
        if name.starts_with("../") {
            return Err(LoadError::Outside("the root of the sources in memory".to_owned()));
        }
        match self.texts.get(&name) {
            Some(text) => Ok(LoadedSource { name, text: text.clone() }),
            None => Err(LoadError::Missing),
        }
    }
}

/// Whether a path begins at the root of a file system, or has a drive.
pub fn has_root(path: &str) -> bool {
    use std::path::{Component, Path};
    Path::new(path).components().any(|part| matches!(part, Component::RootDir | Component::Prefix(_)))
}

/// Resolves a path relative to the folder of the file `from`.
pub fn resolved_path(from: &str, path: &str) -> String {
    match from.rsplit_once('/') {
        Some((folder, _)) => normalized_path(&format!("{folder}/{path}")),
        None => normalized_path(path),
    }
}

/// Removes `.` components and resolves `..` where it follows a folder; leading `..` components stay.
pub fn normalized_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("{}{}", if path.starts_with('/') { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized_and_resolved() {
        let cases = [
            ("./a/../b.trim", "b.trim"),
            ("a//b/./c", "a/b/c"),
            ("../../x", "../../x"),
            ("/a/../b", "/b"),
            ("a/b/../../../c", "../c"),
        ];
        for (path, normalized) in cases {
            assert_eq!(normalized_path(path), normalized);
        }
        assert_eq!(resolved_path("policies/a.trim", "../common/x.trim"), "common/x.trim");
        assert_eq!(resolved_path("<stdin>", "x.trim"), "x.trim");
    }

    #[test]
    fn memory_sources_resolve_paths_from_the_importing_file() {
        let mut sources = MemorySources::default().with("./common/x.trim", "edition 2026\n");
        let name = sources.load("policies/a.trim", "../common/x.trim").map(|source| source.name);
        assert_eq!(name, Ok("common/x.trim".into()));
        assert_eq!(sources.load("a.trim", "x.trim"), Err(LoadError::Missing));
        assert_eq!(sources.load("a.trim", "/common/x.trim"), Err(LoadError::Absolute));
        assert!(matches!(sources.load("a.trim", "../common/x.trim"), Err(LoadError::Outside(_))));
        assert_eq!(NoSources.load("a.trim", "x.trim"), Err(LoadError::NoLoader));
    }
}
