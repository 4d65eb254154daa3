//! What a call of a batch does.

use serde_json::Value as Json;

use crate::playbook::ToolUse;
use crate::tool_use::{Intent, ShellCommand, classify};

/// A call of a batch.
#[derive(Debug)]
pub(super) struct Step {
    /// What it is for. A call that reads, lists or writes something other than files is unknown here.
    pub(super) intent: Intent,
    /// The command that it runs, if it runs one.
    pub(super) command: Option<ShellCommand>,
    /// Whether it reads or writes a file of tests.
    pub(super) is_test_file: bool,
}

impl Step {
    pub(super) fn of(call: &ToolUse) -> Self {
        let arguments: Json =
            serde_json::from_str(&call.arguments).unwrap_or_else(|_| Json::String(call.arguments.clone()));
        let found = classify(&call.tool, &arguments);
        let is_other = !found.of_files && matches!(found.intent, Intent::Read | Intent::Write);
        let is_test_file = found.paths.iter().flat_map(|path| path.split(['/', '\\'])).any(is_of_tests);
        let intent = if is_other { Intent::Unknown } else { found.intent };
        Self { intent, command: found.command, is_test_file }
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
