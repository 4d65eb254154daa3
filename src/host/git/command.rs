//! Starts git: the only place that does.
//!
//! Git runs in the working directory and takes its repository from there, never from a path that an argument or a file
//! names. No file of a repository makes it start another program: hooks, file system monitors, filters, pagers, credential
//! helpers and transports are off, bare repositories among the files are ignored, and only commands that read objects and
//! settings are run.

#![expect(clippy::disallowed_methods, reason = "starting git is what this file is for")]

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::host::program;
use crate::host::root::repository_root;

/// Settings that override those of the repository and of the user.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    // Only a `.git` makes a repository, and only one that git itself could not have checked out.
    "safe.bareRepository=explicit",
    // A partial clone would fetch missing objects.
    "protocol.allow=never",
];

/// The variables of git that are passed on: where the caller, such as a hook of git, says that the repository is, and where
/// the user's settings are. All others can start programs or write files.
const KEPT_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_WORK_TREE",
];

/// The numbered variables of settings that are passed on.
const KEPT_PREFIXES: &[&str] = &["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];

/// Other variables that name programs.
const PROGRAM_VARIABLES: &[&str] = &["EDITOR", "PAGER", "SSH_ASKPASS", "VISUAL"];

/// The variables that say where the repository is.
const PLACE_VARIABLES: &[&str] = &["GIT_DIR", "GIT_WORK_TREE"];

const FIXED_VARIABLES: &[(&str, &str)] = &[
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// Git with these arguments, without standard input.
pub(super) fn command<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<Command, String> {
    let program = program::find("git").ok_or("git did not start: it is not in a directory of PATH")?;
    let mut git = Command::new(program);
    for (name, _) in env::vars_os().filter(|(name, _)| is_removed(name)) {
        git.env_remove(name);
    }
    git.envs(FIXED_VARIABLES.iter().copied());
    git.arg("--no-pager").args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(arguments);
    git.stdin(Stdio::null());
    Ok(git)
}

/// Runs git; returns its output, or its error message.
pub(super) fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<Vec<u8>, String> {
    let output = command(arguments)?.output().map_err(|error| start_failure(&error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.lines().next().unwrap_or("it gave no reason");
    Err(format!("git: {}", reason.trim_start_matches("fatal: ")))
}

/// Why git did not start.
pub(super) fn start_failure(error: &std::io::Error) -> String {
    format!("git did not start: {error}")
}

/// Whether a variable is not passed on.
fn is_removed(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    let is_kept = KEPT_VARIABLES.contains(&&*name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    name.starts_with("GIT_") && !is_kept || PROGRAM_VARIABLES.contains(&&*name)
}

/// The root of the repository of the working directory, without symbolic links.
///
/// # Errors
/// If there is no repository, or git takes another folder for its root than the nearest one with a `.git`: files that look
/// like a repository must not become one, also for versions of git without `safe.bareRepository`.
pub(super) fn root() -> Result<PathBuf, String> {
    let shown = PathBuf::from(super::line(&run(["rev-parse", "--show-toplevel"])?));
    let root = canonical(&shown)?;
    if PLACE_VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
        return Ok(root);
    }
    let here = canonical(Path::new("."))?;
    match repository_root(&here) {
        Some(nearest) if nearest == root => Ok(root),
        _ => Err(format!("git takes {} for the root of the repository, which has no `.git` there", root.display())),
    }
}

fn canonical(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}
