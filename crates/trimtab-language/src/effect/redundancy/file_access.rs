//! Which file a call reads or writes, and which part of it.

use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, any_matches};
use trimtab_base::tool_use::{FileRange, Intent, classify, file_name};

/// Which tools read and which write files. Without a list, the name of a tool decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileTools {
    /// The tools that read.
    pub reads: Option<Vec<SmolStr>>,
    /// The tools that write.
    pub writes: Option<Vec<SmolStr>>,
}

/// What a call does with a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileAccess {
    /// The path as the call writes it, without `./` at its start.
    pub(super) path: String,
    /// Whether the file is written.
    pub(super) writes: bool,
    /// The part of the file.
    pub(super) range: FileRange,
}

impl FileTools {
    /// The files that a call reads or writes. A call that reads names one file; a call that writes may name several.
    /// Arguments without keys are a path.
    pub(super) fn accesses(&self, tool: &str, arguments: &Arguments) -> Vec<FileAccess> {
        let json = &*arguments.json();
        let found = classify(tool, json);
        let does = |list: &Option<Vec<SmolStr>>, intent: Intent| match list {
            Some(tools) => {
                let is_listed = any_matches(tools.iter().map(SmolStr::as_str), tool);
                is_listed && (!found.by_action || found.intent == intent)
            }
            None => found.intent == intent,
        };
        let (reads, writes) = (does(&self.reads, Intent::Read), does(&self.writes, Intent::Write));
        if !reads && (!writes || found.paths.is_empty()) || reads && found.paths.len() != 1 {
            return Vec::new();
        }
        // A listed tool may have a name that says the opposite.
        let is_as_told = reads != (found.intent == Intent::Write);
        let range = if is_as_told { found.range } else { FileRange::in_arguments(json, reads) };
        let access = |path: &str| FileAccess { path: file_name(path).to_owned(), writes: !reads, range: range.clone() };
        found.paths.into_iter().map(access).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn accesses(tools: &FileTools, tool: &str, arguments: Json) -> Vec<(String, bool, FileRange)> {
        let found = tools.accesses(tool, &Arguments::from(arguments));
        found.into_iter().map(|access| (access.path, access.writes, access.range)).collect()
    }

    /// The only access of a call whose tool is known by its name.
    fn usual(tool: &str, arguments: Json) -> Option<(String, bool, FileRange)> {
        let mut found = accesses(&FileTools::default(), tool, arguments);
        assert!(found.len() < 2, "{found:?}");
        found.pop()
    }

    #[test]
    fn tools_of_agents_are_told_by_their_names() {
        let read = |path: &str| Some((path.to_owned(), false, FileRange::Whole));
        let write = |path: &str| Some((path.to_owned(), true, FileRange::Whole));
        assert_eq!(usual("Read", json!({"file_path": "/a.rs"})), read("/a.rs"));
        assert_eq!(usual("read_file", json!({"target_file": "./a.rs", "explanation": "x"})), read("a.rs"));
        assert_eq!(usual("mcp__fs__read_text_file", json!({"path": "目录/a"})), read("目录/a"));
        assert_eq!(usual("str_replace_editor", json!({"command": "view", "path": "a"})), read("a"));
        assert_eq!(usual("text_editor", json!({"command": "undo_edit", "path": "a"})), write("a"));
        assert_eq!(usual("Edit", json!({"file_path": "a", "old_string": "x", "limit": 3})), write("a"));
        assert_eq!(usual("NotebookEdit", json!({"notebook_path": "a.ipynb"})), write("a.ipynb"));
        assert_eq!(usual("Grep", json!({"path": "a", "pattern": "x"})), None);
        assert_eq!(usual("bash", json!({"command": "cat a"})), None);
        assert_eq!(usual("read_file", json!("a")), read("a"));
        assert_eq!(usual("read_file", json!(["a"])), None);
        assert_eq!(usual("read_file", json!({"paths": ["a", "b"]})), None);
        assert_eq!(accesses(&FileTools::default(), "move_file", json!({"path": "a", "new_path": "b"})).len(), 2);
    }

    #[test]
    fn lists_replace_the_names_and_an_action_decides_between_them() {
        let both = |name: &str| Some(vec![SmolStr::new(name)]);
        let tools = FileTools { reads: both("doc*"), writes: both("doc*") };
        assert!(!accesses(&tools, "docs", json!({"path": "a"}))[0].1);
        assert!(accesses(&tools, "docs", json!({"path": "a", "action": "update"}))[0].1);
        assert_eq!(accesses(&tools, "read_file", json!({"path": "a"})), []);
        let reads = FileTools { reads: both("docs"), writes: None };
        assert!(accesses(&reads, "write_file", json!({"path": "a"}))[0].1);
        assert_eq!(accesses(&reads, "read_file", json!({"path": "a"})), []);
    }

    #[test]
    fn ranges_are_read_in_their_usual_forms() {
        let view = |arguments: Json| usual("read", arguments).map(|(_, _, view)| view).expect("a read");
        let lines = |first, last| FileRange::Lines { first, last };
        assert_eq!(view(json!({"path": "a", "offset": 5, "limit": 10})), lines(5, Some(14)));
        assert_eq!(view(json!({"path": "a", "limit": "10"})), lines(1, Some(10)));
        assert_eq!(view(json!({"path": "a", "offset": 5, "limit": null})), lines(5, None));
        assert_eq!(view(json!({"path": "a", "start_line": 2, "endLine": 4})), lines(2, Some(4)));
        assert_eq!(view(json!({"path": "a", "view_range": [2, -1]})), lines(2, None));
        assert_eq!(view(json!({"path": "a", "lines": "2-4"})), lines(2, Some(4)));
        let others = [json!({"path": "a", "pages": "2-4"}), json!({"path": "a", "offset": -5})];
        assert!(others.into_iter().all(|arguments| matches!(view(arguments), FileRange::Other(_))));
        let edit = usual("edit_lines", json!({"path": "a", "start_line": 2, "end_line": 4, "lines": "x"}));
        assert_eq!(edit, Some(("a".to_owned(), true, lines(2, Some(4)))));
    }
}
