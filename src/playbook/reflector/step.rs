//! What a call does, by the usual names of tools.

use serde_json::Value as Json;

use super::command::Command;
use crate::playbook::ToolUse;

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Lists files.
    List,
    /// Reads a file.
    Read,
    /// Writes or edits a file.
    Write,
    /// Searches in files.
    Search,
    /// Runs a command.
    Command,
}

/// The usual names of tools, in lower case and without `_` and `-`.
const TOOLS: [(Kind, &[&str]); 5] = [
    (Kind::List, &["listfiles", "listdirectory", "listdir", "ls", "glob", "findfiles"]),
    (Kind::Read, &["readfile", "read", "readfiles", "view", "viewfile", "openfile", "fsread"]),
    (
        Kind::Write,
        &[
            "writefile",
            "write",
            "createfile",
            "editfile",
            "edit",
            "multiedit",
            "applypatch",
            "strreplace",
            "strreplaceeditor",
            "replaceinfile",
            "fswrite",
        ],
    ),
    (Kind::Search, &["search", "searchfiles", "searchcode", "codesearch", "grep", "grepsearch", "ripgrep"]),
    (
        Kind::Command,
        &["runcommand", "bash", "shell", "executecommand", "execcommand", "exec", "runshellcommand", "runterminalcmd"],
    ),
];

/// The arguments that hold a command.
const COMMAND_KEYS: [&str; 3] = ["command", "cmd", "script"];

/// The arguments that hold a path.
const PATH_KEYS: [&str; 5] = ["path", "file_path", "filePath", "filename", "file"];

/// A call of a batch.
#[derive(Debug)]
pub(super) struct Step {
    /// What its tool does, if that is known.
    pub(super) kind: Option<Kind>,
    /// The command that it runs, if it runs one.
    pub(super) command: Option<Command>,
    /// Whether it reads or writes a file of tests.
    pub(super) is_test_file: bool,
}

impl Step {
    pub(super) fn of(call: &ToolUse) -> Self {
        // The name of an MCP tool follows that of its server: `mcp__files__read_file`.
        let name = call.tool.rsplit("__").next().unwrap_or_default().to_lowercase().replace(['_', '-'], "");
        let kind = TOOLS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(kind, _)| *kind);
        let arguments: Json = serde_json::from_str(&call.arguments).unwrap_or_default();
        let command = (kind == Some(Kind::Command)).then(|| Command::parse(&text(&arguments, &COMMAND_KEYS)));
        let is_test_file = text(&arguments, &PATH_KEYS).split(['/', '\\']).any(is_of_tests);
        Self { kind, command, is_test_file }
    }
}

/// The first of these arguments; a list is joined with spaces.
fn text(arguments: &Json, keys: &[&str]) -> String {
    match keys.iter().find_map(|key| arguments.get(key)) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(words)) => words.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

/// Whether a file or folder of this name holds tests, such as `tests`, `test_parser.py`, `parser.spec.ts` or
/// `ParserTest.java`.
fn is_of_tests(name: &str) -> bool {
    let is_test = |word: &str| {
        matches!(word.to_lowercase().as_str(), "test" | "tests" | "spec" | "specs")
            || word.ends_with("Test")
            || word.ends_with("Tests")
    };
    name.split(['.', '_', '-']).any(is_test)
}
