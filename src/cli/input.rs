//! Resolves files, directories and globs to a list of files, and reads them.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use trimtab_analysis::system::{self, SYSTEMS};
use trimtab_base::diagnostic::alternatives;

use super::console::Failure;
use super::glob::PathGlob;
use super::walk::{Walk, WalkError};
use crate::host::file::{self, MAX_TEXT_BYTES};
use crate::host::{is_foreign_database, is_part_of_session};

/// A path with one of these that is no file is a glob.
const GLOB_CHARACTERS: [char; 4] = ['*', '?', '[', '{'];

/// The files of some paths: a file itself, the files of a directory with one of these endings, the matches of a glob. An
/// ending is an extension, or with a dot in it the whole name of a file; a hidden one is found even if git ignores it.
/// Directories and globs are sorted and respect `.gitignore`; each file is listed once. A path that does not exist and a
/// directory that cannot be read are listed themselves, so that reading them reports the error and the others are read.
///
/// # Errors
///
/// When a glob is invalid, or when none of the paths exists, so that there is no result.
pub(super) fn files(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    if !paths.is_empty() && paths.iter().all(|path| is_missing(path)) {
        let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        return Err(Failure::Message(format!("no such file or directory: {}", names.join(", "))));
    }
    let (mut files, mut known) = (Vec::new(), HashSet::new());
    for path in paths {
        let found = if is_stdin(path) || harness(path).is_some() || path.is_file() {
            vec![path.clone()]
        } else if path.is_dir() {
            let hidden: Vec<&str> = endings.iter().copied().filter(|ending| ending.starts_with('.')).collect();
            let (mut files, closed) = walk(path, &hidden)?;
            let ends = |file: &PathBuf| {
                let is = |part: Option<&OsStr>, ending: &str| part.is_some_and(|part| part == ending);
                endings.iter().any(|ending| is(file.file_name(), ending) || is(file.extension(), ending))
            };
            let is_other =
                |file: &PathBuf| is_part_of_session(file) || describes_agent(file) || is_foreign_database(file);
            files.retain(|file| ends(file) && !is_other(file));
            if path.as_os_str() == "." {
                files = files.iter().map(|file| without_current_dir(file).to_path_buf()).collect();
            }
            [files, closed].concat()
        } else {
            glob(path)?
        };
        files.extend(found.into_iter().filter(|file| known.insert(file.clone())));
    }
    Ok(files)
}

/// Whether a file describes a sub-agent of Claude Code, whose conversation is in another file beside it.
fn describes_agent(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.starts_with("agent-") && name.ends_with(".meta.json")
}

fn glob(pattern: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = pattern.to_string_lossy();
    // A link whose target is missing, a missing file, or a pipe: reading it reports the error.
    if !text.contains(GLOB_CHARACTERS) || pattern.is_symlink() {
        return Ok(vec![pattern.to_path_buf()]);
    }
    let pattern = without_current_dir(pattern);
    let glob = PathGlob::new(&pattern.to_string_lossy())?;
    let plain = |part: &Component<'_>| !is_pattern(part.as_os_str());
    let root: PathBuf = pattern.components().take_while(plain).collect();
    let here = root.as_os_str().is_empty();
    let (files, closed) = walk(if here { Path::new(".") } else { &root }, &[])?;
    let files = files.into_iter().filter(|file| glob.is_match(without_current_dir(file)));
    let closed = closed.into_iter().filter(|folder| may_match_below(pattern, without_current_dir(folder)));
    Ok(files.chain(closed).map(|file| without_current_dir(&file).to_path_buf()).collect())
}

/// Whether a pattern could match a file below a directory.
fn may_match_below(pattern: &Path, folder: &Path) -> bool {
    let mut wanted = pattern.components();
    for part in folder.components().filter(|part| *part != Component::CurDir) {
        let Some(next) = wanted.next() else { return false };
        let next = next.as_os_str().to_string_lossy();
        if next.contains(['{', '}']) || next == "**" {
            return true;
        }
        if !PathGlob::new(&next).is_ok_and(|glob| glob.is_match(part.as_ref())) {
            return false;
        }
    }
    wanted.next().is_some()
}

/// Fails if a path that was given, and is no glob, does not exist. The others have been worked on by then.
pub(super) fn check_exist(paths: &[PathBuf]) -> Result<(), Failure> {
    match paths.iter().filter(|path| is_missing(path)).count() {
        0 => Ok(()),
        missing => Err(Failure::Message(format!("{missing} of {} paths do not exist", paths.len()))),
    }
}

/// Whether a path is no glob and does not exist, or is a link without a target.
fn is_missing(path: &Path) -> bool {
    let is_glob = path.to_string_lossy().contains(GLOB_CHARACTERS) && !path.is_symlink();
    !is_stdin(path) && harness(path).is_none() && !is_glob && matches!(path.try_exists(), Ok(false))
}

/// A path without a leading `./`.
fn without_current_dir(path: &Path) -> &Path {
    path.strip_prefix("./").unwrap_or(path)
}

/// The files below a directory, with hidden ones of these names, and the directories that could not be read.
fn walk(root: &Path, hidden: &[&str]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    for entry in Walk::new(root, None) {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => files.push(entry.into_path()),
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                files.extend(hidden.iter().map(|name| entry.path().join(name)).filter(|file| file.is_file()));
            }
            Ok(_) => {}
            Err(WalkError::Folder(path)) => unread.push(path.unwrap_or_else(|| root.to_path_buf())),
            Err(WalkError::IgnoreFile(path, reason)) => {
                return Err(Failure::Message(format!("cannot read {}: {reason}", path.display())));
            }
        }
    }
    Ok((files, unread))
}

/// Whether a part of a path has a wildcard.
pub(super) fn is_pattern(part: &OsStr) -> bool {
    part.to_string_lossy().contains(GLOB_CHARACTERS)
}

/// Whether a path means standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Fails if several of these lists read standard input: the second would find it empty.
pub(super) fn check_single_stdin(lists: &[&[PathBuf]]) -> Result<(), Failure> {
    let requested_profile = lists.iter().filter(|paths| paths.iter().any(|path| is_stdin(path))).count();
    if requested_profile < 2 {
        Ok(())
    } else {
        Err(Failure::Message("standard input can be used only once".to_owned()))
    }
}

/// The bytes of a recording or a result, of any size; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    if is_stdin(path) { stdin(u64::MAX) } else { file::read(path).map_err(|error| error.to_string()) }
}

/// The text of a policy or settings file, or of the built-in policy of a system.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    if let Some(name) = harness(path) {
        return harness_text(name);
    }
    let read = || file::read_at_most(path, MAX_TEXT_BYTES).map_err(|error| error.to_string());
    text(if is_stdin(path) { stdin(MAX_TEXT_BYTES)? } else { read()? })
}

/// The text of bytes.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("not UTF-8 text: invalid byte at offset {at}")
    })
}

fn stdin(most: u64) -> Result<Vec<u8>, String> {
    file::note_stdin();
    file::limited(std::io::stdin(), most).map_err(|error| format!("cannot read standard input: {error}"))
}

/// The system whose defaults a path names as a policy: `harness:NAME`.
pub(super) fn harness(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(system::HARNESS)
}

/// The policy of the defaults of a system.
fn harness_text(name: &str) -> Result<String, String> {
    let Some(system) = system::find(name) else {
        let help = if let Some(near) = system::nearest(name) {
            format!("did you mean `{}{near}`?", system::HARNESS)
        } else {
            let names: Vec<&str> = SYSTEMS.iter().map(|system| system.name).collect();
            format!("expected {}", alternatives(&names))
        };
        return Err(format!("unknown system `{name}`; {help}"));
    };
    Ok(system::defaults(system).text)
}

/// The name of a path in messages: `<stdin>` for `-`, unless the user names it.
pub(super) fn display_name(path: &Path, stdin: Option<&str>) -> String {
    if is_stdin(path) { stdin.unwrap_or("<stdin>").to_owned() } else { path.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_may_match_below_directories_that_agree_with_it() {
        for (pattern, directory, expected) in [
            ("*.trim", ".", true),
            ("*.trim", "deep", false),
            ("a/*.trim", "a", true),
            ("a/*.trim", "a/b", false),
            ("a/*/*.trim", "a/b", true),
            ("a/x*/*.trim", "a/b", false),
            ("a/**/*.trim", "a/b/c", true),
            ("**", "a/b", true),
            ("{a/b,c}/*.trim", "a/b", true),
        ] {
            assert_eq!(may_match_below(Path::new(pattern), Path::new(directory)), expected, "{pattern} {directory}");
        }
    }
}
