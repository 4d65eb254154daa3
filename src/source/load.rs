//! Where the texts come from that a policy file uses: the trait, and texts held in memory.
//!
//! In: the name of the file that asks and the path that it wrote. Out: a name and a text, or why there is none.

use std::collections::BTreeMap;
use std::fmt;

/// A text that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// What it is called; one text has one name, whoever asks for it.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Why a text could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nobody is there to be asked.
    NoSources,
    /// There is no such file.
    Missing,
    /// The path does not begin at the file that names it.
    Absolute,
    /// The path leaves the project; its root is named.
    Outside(String),
    /// The file is there and cannot be read, for this reason.
    Unreadable(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSources => out.write_str("this text was handed in alone, without the files beside it"),
            Self::Missing => out.write_str("there is no such file"),
            Self::Absolute => out.write_str("the path begins at the root of the disk"),
            Self::Outside(root) => write!(out, "it lies outside the project, {root}"),
            Self::Unreadable(reason) => out.write_str(reason),
        }
    }
}

/// Who has the texts that a policy file uses.
pub trait Sources {
    /// The text at a path that the text `from` has written.
    ///
    /// # Errors
    /// When there is none, or it may not be had.
    fn load(&mut self, from: &str, path: &str) -> Result<Loaded, Reason>;
}

/// No texts at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Sources for Nothing {
    fn load(&mut self, _: &str, _: &str) -> Result<Loaded, Reason> {
        Err(Reason::NoSources)
    }
}

/// Texts in memory by their paths, which begin at one root.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    texts: BTreeMap<String, String>,
}

impl Memory {
    /// Adds a text under a path such as `common/limits.trim`.
    pub fn with(mut self, path: impl AsRef<str>, text: impl Into<String>) -> Self {
        self.texts.insert(plain_path(path.as_ref()), text.into());
        self
    }
}

impl Sources for Memory {
    fn load(&mut self, from: &str, path: &str) -> Result<Loaded, Reason> {
        if path.starts_with('/') {
            return Err(Reason::Absolute);
        }
        let name = beside(from, path);
        if name.starts_with("../") {
            return Err(Reason::Outside("the folder of all texts".to_owned()));
        }
        match self.texts.get(&name) {
            Some(text) => Ok(Loaded { name, text: text.clone() }),
            None => Err(Reason::Missing),
        }
    }
}

/// A path as seen from the folder of another, without the steps that lead nowhere.
pub fn beside(from: &str, path: &str) -> String {
    match from.rsplit_once('/') {
        Some((folder, _)) => plain_path(&format!("{folder}/{path}")),
        None => plain_path(path),
    }
}

/// A path without `.` and without `..` behind a folder; what is left of them stands at the front.
pub fn plain_path(path: &str) -> String {
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
    fn paths_lose_the_steps_that_lead_nowhere() {
        let cases = [
            ("./a/../b.trim", "b.trim"),
            ("a//b/./c", "a/b/c"),
            ("../../x", "../../x"),
            ("/a/../b", "/b"),
            ("a/b/../../../c", "../c"),
        ];
        for (path, plain) in cases {
            assert_eq!(plain_path(path), plain);
        }
        assert_eq!(beside("policies/a.trim", "../common/x.trim"), "common/x.trim");
        assert_eq!(beside("<stdin>", "x.trim"), "x.trim");
    }

    #[test]
    fn texts_in_memory_are_found_from_where_they_are_asked_for() {
        let mut texts = Memory::default().with("./common/x.trim", "edition 2026\n");
        assert_eq!(texts.load("policies/a.trim", "../common/x.trim").map(|one| one.name), Ok("common/x.trim".into()));
        assert_eq!(texts.load("a.trim", "x.trim"), Err(Reason::Missing));
        assert_eq!(texts.load("a.trim", "/common/x.trim"), Err(Reason::Absolute));
        assert!(matches!(texts.load("a.trim", "../common/x.trim"), Err(Reason::Outside(_))));
        assert_eq!(Nothing.load("a.trim", "x.trim"), Err(Reason::NoSources));
    }
}
