//! The exit code in the output of a tool.

use serde::Deserialize;

use crate::transcript::wire;
use crate::transcript::wire::{Indexed, Raw};

/// The first words of the header that Codex writes before the output of a command.
const HEADER_PREFIXES: [&str; 3] = ["Chunk ID: ", "Wall time: ", "Exit code: "];

#[derive(Deserialize, Default)]
#[serde(default)]
struct Structured<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    metadata: Metadata<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow)]
    exit_code: Option<Raw<'a>>,
}

/// Whether the header of an output states an exit code other than 0. Early versions write JSON with `metadata` instead
/// of the header.
pub(super) fn has_failed(text: &str) -> bool {
    if text.starts_with('{') {
        let json = Indexed::of(text);
        let structured: Structured<'_> = json.as_ref().and_then(|json| json.raw().parse()).unwrap_or_default();
        return structured.metadata.exit_code.is_some_and(|code| !code.is_null() && code.get() != "0");
    }
    if !HEADER_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
        return false;
    }
    let header = text.lines().take_while(|line| line.trim_end() != "Output:").take(8);
    let code = |line: &str| {
        line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "))?.trim().parse().ok()
    };
    header.filter_map(code).any(|code: i64| code != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_header_states_the_exit_code() {
        let failed = [
            "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nx",
            "Exit code: 1\nWall time: 0 seconds\nOutput:\nx",
            r#"{"output":"x","metadata":{"exit_code":-1,"duration_seconds":0.1}}"#,
        ];
        let fine = [
            "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 2",
            "Chunk ID: 1a\nWall time: 1 second\nProcess running with session ID 5\nOutput:\n",
            "Exit code: 0\nOutput:\nExit code: 1",
            "the log says\nExit code: 1",
            r#"{"output":"x","metadata":{"exit_code":0}}"#,
            r#"{"exit_code":1}"#,
            "",
        ];
        assert!(failed.into_iter().all(has_failed));
        assert!(!fine.into_iter().any(has_failed));
    }
}
