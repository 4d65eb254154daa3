//! Lines that have changed since a revision.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::blob::{Blob, BlobReader};
use super::{check_revision, command};
use crate::host::file;

/// The lines that have changed since a revision, including uncommitted changes.
///
/// The text of a file is compared with the one in the revision here, not by `git diff`, which would look at submodules and
/// start the filters that attributes in the repository name.
#[derive(Debug)]
pub struct Changes {
    root: PathBuf,
    revision: String,
    blobs: BlobReader,
    lines: HashMap<PathBuf, ChangedLines>,
}

/// What has changed in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ChangedLines {
    /// The revision does not contain the file as text.
    All,
    /// These lines, from 1. Where lines were removed, the lines around them.
    Some(Vec<RangeInclusive<usize>>),
}

impl Changes {
    /// The changes since this revision in the repository of the working directory.
    ///
    /// # Errors
    /// If git, the repository or the revision is missing, with a message.
    pub fn since(revision: &str) -> Result<Self, String> {
        let root = command::root()?;
        check_revision(revision)?;
        Ok(Self { root, revision: revision.to_owned(), blobs: BlobReader::default(), lines: HashMap::new() })
    }

    /// Whether a file has changed. One that the revision does not contain has.
    ///
    /// # Errors
    /// If the file is outside the repository or cannot be read.
    pub fn is_changed(&mut self, file: &Path) -> Result<bool, String> {
        Ok(match self.lines(file)? {
            ChangedLines::All => true,
            ChangedLines::Some(lines) => !lines.is_empty(),
        })
    }

    /// Whether one of these lines of a file has changed.
    ///
    /// # Errors
    /// If the file is outside the repository or cannot be read.
    pub fn intersects(&mut self, file: &Path, lines: &RangeInclusive<usize>) -> Result<bool, String> {
        let meets = |changed: &RangeInclusive<usize>| changed.start() <= lines.end() && lines.start() <= changed.end();
        Ok(match self.lines(file)? {
            ChangedLines::All => true,
            ChangedLines::Some(changed) => changed.iter().any(meets),
        })
    }

    fn lines(&mut self, file: &Path) -> Result<&ChangedLines, String> {
        let full = file.canonicalize().map_err(|error| format!("{}: {error}", file.display()))?;
        let inside = full.strip_prefix(&self.root).map(Path::to_path_buf);
        let path =
            inside.map_err(|_| format!("{} is outside the repository {}", file.display(), self.root.display()))?;
        if !self.lines.contains_key(&path) {
            let lines = match self.blobs.read(&self.revision, &path)? {
                Blob::Text(old) => {
                    let new = file::read(&full).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
                    ChangedLines::between(&old, &new)
                }
                Blob::Missing => ChangedLines::All,
            };
            self.lines.insert(path.clone(), lines);
        }
        Ok(self.lines.get(&path).unwrap_or(&ChangedLines::All))
    }
}

/// The most lines, old and new together, that are compared one by one: the time of the comparison grows with the square of
/// their number if none are alike.
const MAX_COMPARED: usize = 10_000;

impl ChangedLines {
    /// The lines of `new` that differ from `old`. The ends of lines are compared without `\r`, which git may have changed.
    fn between(old: &[u8], new: &[u8]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        let (old, new) = (text(old), text(new));
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
        let start = old.iter().zip(&new).take_while(same).count();
        let (old, rest) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
        let end = old.iter().rev().zip(rest.iter().rev()).take_while(same).count();
        let (old, rest) =
            (old.get(..old.len() - end).unwrap_or_default(), rest.get(..rest.len() - end).unwrap_or_default());
        Self::Some(match (old.len(), rest.len()) {
            (0, 0) => Vec::new(),
            (_, 0) => vec![start.max(1)..=start + 1],
            (0, count) => vec![start + 1..=start + count],
            (removed, count) if removed + count > MAX_COMPARED => vec![start + 1..=start + count],
            _ => hunks(&old.concat(), &rest.concat(), start),
        })
    }
}

/// The lines of `new` in each hunk of the difference, counted from the line after `start`. For a hunk that only removes
/// lines, the lines around it.
fn hunks(old: &str, new: &str, start: usize) -> Vec<RangeInclusive<usize>> {
    let patch = diffy::DiffOptions::new().set_context_len(0).create_patch(old, new);
    let lines = patch.hunks().iter().map(|hunk| {
        let (first, count) = (start + hunk.new_range().start(), hunk.new_range().len());
        match count {
            0 => first.max(1)..=first + 1,
            _ => first..=first + count - 1,
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(old: &str, new: &str) -> ChangedLines {
        ChangedLines::between(old.as_bytes(), new.as_bytes())
    }

    fn lines(lines: &[RangeInclusive<usize>]) -> ChangedLines {
        ChangedLines::Some(lines.to_vec())
    }

    #[test]
    fn changed_lines_are_those_of_the_new_text() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        assert_eq!(changed(old, old), lines(&[]));
        assert_eq!(changed(old, "A\nb\nc\nd\ne\nf\ng\n"), lines(&[1..=1]));
        assert_eq!(changed(old, "a\nb\nc\nx\ny\nd\ne\nf\ng\n"), lines(&[4..=5]));
        assert_eq!(changed(old, &old.replace('\n', "\r\n")), lines(&[]));
        assert_eq!(changed("", "a\n"), lines(&[1..=1]));
        assert_eq!(changed("a\n", "a"), lines(&[1..=1]));
    }

    #[test]
    fn the_lines_around_a_removed_line_have_changed() {
        assert_eq!(changed("a\nb\nc\nd\n", "a\nb\nd\n"), lines(&[2..=3]));
        assert_eq!(changed("a\nb\n", "b\n"), lines(&[1..=1]));
        assert_eq!(changed("a\n", ""), lines(&[1..=1]));
    }
}
