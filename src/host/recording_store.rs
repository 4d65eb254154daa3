//! Where coding agents store the recordings of their sessions on this machine.
//!
//! A coding agent is one entry of [`RECORDING_STORES`]. Looking for recordings reads names, sizes and times of files, never
//! their content, and is limited in depth and number.

#![expect(clippy::disallowed_methods, reason = "listing directories of the user is what this file is for")]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{HERMES_DATABASE, OPENCODE_DATABASE, is_part_of_session};

/// A coding agent that stores recordings of its sessions in the user's home directory.
#[derive(Debug)]
pub struct RecordingStore {
    /// The name of the agent, such as `Claude Code`.
    pub agent: &'static str,
    /// The name of the transcript format of its recordings.
    pub format: &'static str,
    /// The environment variable that names another root.
    variable: &'static str,
    /// The directory below the one that the variable names; empty if it names the root itself.
    below_variable: &'static str,
    /// The usual roots, below the home directory.
    usual: &'static [&'static str],
    /// The paths of recordings below the root, in which `*` matches any part of a name.
    patterns: &'static [&'static str],
    /// Whether the recordings of a project have a directory of their own.
    by_project: bool,
}

/// The known coding agents, in the order of output.
pub static RECORDING_STORES: &[RecordingStore] = &[
    RecordingStore {
        agent: "Claude Code",
        format: "claude_code",
        variable: "CLAUDE_CONFIG_DIR",
        below_variable: "",
        usual: &[".claude", ".config/claude"],
        patterns: &["projects/*/*.jsonl"],
        by_project: true,
    },
    RecordingStore {
        agent: "Codex CLI",
        format: "codex",
        variable: "CODEX_HOME",
        below_variable: "",
        usual: &[".codex"],
        patterns: &["sessions/*/*/*/rollout-*.jsonl"],
        by_project: false,
    },
    RecordingStore {
        agent: "OpenCode",
        format: "opencode",
        variable: "XDG_DATA_HOME",
        below_variable: "opencode",
        usual: &[".local/share/opencode"],
        patterns: &[OPENCODE_DATABASE, "storage/session/*/ses_*.json"],
        by_project: false,
    },
    RecordingStore {
        agent: "Gemini CLI",
        format: "gemini_chat",
        variable: "",
        below_variable: "",
        usual: &[".gemini"],
        patterns: &["tmp/*/chats/session-*"],
        by_project: true,
    },
    RecordingStore {
        agent: "Qwen Code",
        format: "qwen",
        variable: "",
        below_variable: "",
        usual: &[".qwen"],
        patterns: &["projects/*/chats/*.jsonl", "tmp/*/chats/*.jsonl"],
        by_project: true,
    },
    RecordingStore {
        agent: "Copilot CLI",
        format: "copilot",
        variable: "",
        below_variable: "",
        usual: &[".copilot"],
        patterns: &["session-state/*/events.jsonl"],
        by_project: false,
    },
    RecordingStore {
        agent: "pi",
        format: "pi",
        variable: "PI_CODING_AGENT_DIR",
        below_variable: "",
        usual: &[".pi/agent"],
        patterns: &["sessions/*/*.jsonl"],
        by_project: true,
    },
    RecordingStore {
        agent: "Factory Droid",
        format: "droid",
        variable: "",
        below_variable: "",
        usual: &[".factory"],
        patterns: &["sessions/*/*.jsonl"],
        by_project: true,
    },
    RecordingStore {
        agent: "Amp",
        format: "amp",
        variable: "XDG_DATA_HOME",
        below_variable: "amp",
        usual: &[".local/share/amp"],
        patterns: &["threads/T-*.json"],
        by_project: false,
    },
    RecordingStore {
        agent: "Continue",
        format: "continue",
        variable: "CONTINUE_GLOBAL_DIR",
        below_variable: "",
        usual: &[".continue"],
        // The index of the sessions is `sessions.json`.
        patterns: &["sessions/*-*.json"],
        by_project: false,
    },
    RecordingStore {
        agent: "OpenHands",
        format: "openhands",
        variable: "",
        below_variable: "",
        usual: &[".openhands"],
        patterns: &["conversations/*/base_state.json"],
        by_project: false,
    },
    RecordingStore {
        agent: "Hermes Agent",
        format: "openai_chat",
        variable: "HERMES_HOME",
        below_variable: "",
        usual: &[".hermes"],
        patterns: &[HERMES_DATABASE],
        by_project: false,
    },
    RecordingStore {
        agent: "Aider",
        format: "aider",
        variable: "",
        below_variable: "",
        usual: &[""],
        patterns: &[".aider.chat.history.md", "*/.aider.chat.history.md", "*/*/.aider.chat.history.md"],
        by_project: true,
    },
];

/// Recordings are counted up to this number, for each agent.
pub const MAX_RECORDINGS: usize = 1_000;
/// How much is listed for each agent.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Recordings.
    files: usize,
    /// Entries of directories.
    entries: usize,
}

/// The limits of a quick look.
const QUICK: Limits = Limits { files: MAX_RECORDINGS, entries: 20_000 };
/// The limits of a list of everything.
const THOROUGH: Limits = Limits { files: 1_000_000, entries: 5_000_000 };

/// The recordings of one coding agent on this machine.
#[derive(Clone, Debug)]
pub struct FoundRecordings {
    /// The agent.
    pub store: &'static RecordingStore,
    /// How many recordings there are, at most [`MAX_RECORDINGS`] in a quick look.
    pub count: usize,
    /// Whether counting ended early, so that there may be more.
    pub is_partial: bool,
    /// Their size in bytes.
    pub bytes: u64,
    /// When the newest of them was changed.
    pub newest: Option<SystemTime>,
    /// How many projects they belong to, if the agent stores them by project.
    pub projects: Option<usize>,
    /// The pattern of the recordings, such as `~/.claude/projects/*/*.jsonl`; of the root with most of them.
    pub place: String,
}

/// A quick look at the recordings of the current user, of each known agent that has any.
pub fn find_recordings() -> Vec<FoundRecordings> {
    find_recordings_in(std::env::home_dir().as_deref(), |name| std::env::var_os(name))
}

/// All recordings of the current user, of each known agent that has any.
pub fn find_all_recordings() -> Vec<FoundRecordings> {
    find_in(std::env::home_dir().as_deref(), |name| std::env::var_os(name), THOROUGH)
}

/// A quick look at the recordings of a user with this home directory and these environment variables.
fn find_recordings_in(home: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Vec<FoundRecordings> {
    find_in(home, variable, QUICK)
}

fn find_in(home: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>, limits: Limits) -> Vec<FoundRecordings> {
    // A relative home directory would mean the working directory.
    let home = home.filter(|home| home.is_absolute());
    let value = |store: &RecordingStore| (!store.variable.is_empty()).then(|| variable(store.variable)).flatten();
    RECORDING_STORES.iter().filter_map(|store| store.find(home, value(store).as_deref(), limits)).collect()
}

impl RecordingStore {
    fn find(&'static self, home: Option<&Path>, variable: Option<&OsStr>, limits: Limits) -> Option<FoundRecordings> {
        let mut listing = Listing::of(limits);
        let (mut most, mut place) = (0, None);
        for root in self.roots(home, variable) {
            for pattern in self.patterns {
                let before = listing.files;
                listing.list(&root, pattern);
                let count = listing.files - before;
                if place.is_none() || count > most {
                    (most, place) = (count, Some(root.join(pattern)));
                }
            }
        }
        if listing.files == 0 {
            return None;
        }
        Some(FoundRecordings {
            store: self,
            count: listing.files,
            is_partial: listing.is_full(),
            bytes: listing.bytes,
            newest: listing.newest,
            projects: self.by_project.then_some(listing.directories.len()),
            place: below_home(&place.unwrap_or_default(), home),
        })
    }

    /// The directories in which the agent may store recordings.
    fn roots(&self, home: Option<&Path>, variable: Option<&OsStr>) -> Vec<PathBuf> {
        // An empty variable counts as unset, and a relative path is ignored.
        let named = variable.map(Path::new).filter(|path| path.is_absolute());
        match (named, home) {
            (Some(path), _) if self.below_variable.is_empty() => vec![path.to_path_buf()],
            (Some(path), _) => vec![path.join(self.below_variable)],
            (None, Some(home)) => self.usual.iter().map(|usual| home.join(usual)).collect(),
            (None, None) => Vec::new(),
        }
    }
}

/// A path with `~` for the home directory.
fn below_home(path: &Path, home: Option<&Path>) -> String {
    let inside = home.and_then(|home| path.strip_prefix(home).ok());
    inside.map_or_else(|| path.display().to_string(), |inside| Path::new("~").join(inside).display().to_string())
}

/// Files that match a pattern.
struct Listing {
    limits: Limits,
    /// How many files match.
    files: usize,
    /// Their size.
    bytes: u64,
    /// The time of the newest.
    newest: Option<SystemTime>,
    /// How many entries of directories were listed.
    entries: usize,
    /// The directories of the files.
    directories: BTreeSet<PathBuf>,
}

impl Listing {
    const fn of(limits: Limits) -> Self {
        Self { limits, files: 0, bytes: 0, newest: None, entries: 0, directories: BTreeSet::new() }
    }

    const fn is_full(&self) -> bool {
        self.files >= self.limits.files || self.entries >= self.limits.entries
    }

    /// Adds a path if it is a file whose sessions are not part of another file.
    fn add(&mut self, path: &Path, directory: &Path) {
        let Some(file) = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file) else { return };
        if is_part_of_session(path) {
            return;
        }
        self.files += 1;
        self.bytes = self.bytes.saturating_add(file.len());
        self.newest = self.newest.max(file.modified().ok());
        self.directories.insert(directory.to_path_buf());
    }

    /// Lists the files below a directory that match a pattern. A directory that cannot be read has none.
    fn list(&mut self, directory: &Path, pattern: &str) {
        let (name, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
        if !name.contains('*') {
            let path = directory.join(name);
            return if rest.is_empty() { self.add(&path, directory) } else { self.list(&path, rest) };
        }
        let Ok(entries) = std::fs::read_dir(directory) else { return };
        for entry in entries.filter_map(Result::ok) {
            if self.is_full() {
                return;
            }
            self.entries += 1;
            if !matches_name(name, &entry.file_name()) {
                continue;
            }
            let path = entry.path();
            if rest.is_empty() {
                self.add(&path, directory);
            } else {
                self.list(&path, rest);
            }
        }
    }
}

/// Whether a name matches a pattern, in which `*` stands for any text.
fn matches_name(pattern: &str, name: &OsStr) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.to_str().and_then(|name| name.strip_prefix(first)) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests;
