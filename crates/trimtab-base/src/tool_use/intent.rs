//! What a call is for, by the words of its tool's name or of its action.

use super::key::has_word;

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intent {
    /// It reads a file.
    Read,
    /// It lists files.
    List,
    /// It searches for something.
    Search,
    /// It changes something.
    Write,
    /// It runs a shell command.
    Run,
    /// It sets the agent's own list of tasks.
    Plan,
    /// It looks at something that is no file, and changes nothing.
    Look,
    /// Its name says nothing.
    Unknown,
}

/// Words in the names of tools that change something, whatever else the name says.
const CHANGING: &[&str] = &[
    "write", "edit", "create", "update", "delete", "remove", "replace", "insert", "patch", "apply", "append", "move",
    "rename", "commit", "send", "post", "put", "set",
];

/// Words in the names of tools that read a file.
const READING: &[&str] = &["read", "view", "open", "cat"];

/// Words in the names of tools that list files.
const LISTING: &[&str] = &["list", "ls", "glob", "tree", "dir"];

/// Words in the names of tools that search.
const SEARCHING: &[&str] = &["search", "grep", "ripgrep", "rg", "query", "lookup"];

/// A word in the names of tools that search, or list files if the name speaks of files.
const FINDING: &[&str] = &["find"];
const FILES: &[&str] = &["file", "files"];

/// Words in the names of tools that change files, if they name nothing else.
const EDITING: &[&str] = &["edit", "patch"];

/// Words in the names of tools that set the agent's list of tasks.
const PLANNING: &[&str] = &["todo", "todos", "plan"];

/// Other words in the names of tools that change nothing.
const LOOKING: &[&str] = &[
    "get",
    "fetch",
    "show",
    "look",
    "check",
    "inspect",
    "describe",
    "browse",
    "think",
    "calculate",
    "retrieve",
    "stat",
    "ask",
    "status",
    "output",
];

/// Words in the names of tools that run commands.
const SHELL: &[&str] = &["bash", "shell", "sh", "zsh", "terminal", "exec", "execute", "command", "cmd", "powershell"];

impl Intent {
    /// What the words of a name say. `has_path` is whether the call names a file.
    pub(super) fn of(name: &str, has_path: bool) -> Self {
        let has = |known: &[&str]| has_word(name, known);
        match () {
            () if has(PLANNING) && !has_path => Self::Plan,
            () if has(CHANGING) => Self::Write,
            () if has(READING) => Self::Read,
            () if has(LISTING) || has(FINDING) && has(FILES) => Self::List,
            () if has(SEARCHING) || has(FINDING) => Self::Search,
            () if has(LOOKING) || has(PLANNING) => Self::Look,
            () => Self::Unknown,
        }
    }

    /// Whether the name of a tool speaks of files.
    pub(super) fn names_files(name: &str) -> bool {
        has_word(name, FILES) || has_word(name, EDITING)
    }

    /// Whether the name of a tool says that it runs commands.
    pub(super) fn runs_commands(name: &str) -> bool {
        has_word(name, SHELL)
    }
}

/// The name of a tool without that of its server: `read_file` of `mcp__files__read_file`.
pub(super) fn own_name(name: &str) -> &str {
    name.rsplit("__").next().filter(|own| !own.is_empty()).unwrap_or(name)
}
