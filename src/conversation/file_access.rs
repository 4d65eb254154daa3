//! Which file a call reads or writes, and which part of it, as the names of its tool and its arguments say.

use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use super::arguments::Arguments;
use super::tool_name::any_matches;

/// Words in the names of tools that read a file.
const READING: &[&str] = &["read", "view", "open", "cat"];

/// Words in the names of tools that change something, whatever else the name says.
pub(crate) const CHANGING: &[&str] = &[
    "write", "edit", "create", "update", "delete", "remove", "replace", "insert", "patch", "apply", "append", "move",
    "rename", "commit", "send", "post", "put", "set",
];

/// Keys whose values name one of several actions of a tool.
pub(crate) const ACTION_KEYS: &[&str] = &["command", "action", "operation", "mode"];

/// The last words of keys whose values are paths.
const PATH_KEYS: &[&str] =
    &["path", "paths", "pathname", "file", "files", "filename", "filenames", "filepath", "filepaths", "document"];

/// Keys that say nothing about what is read, without separators and in lower case.
const COMMENT_KEYS: &[&str] = &["description", "explanation", "reason"];

/// Keys of the first line of a range.
const FIRST_KEYS: &[&str] = &["startline", "linestart", "firstline", "fromline"];
/// Keys of the last line of a range.
const LAST_KEYS: &[&str] = &["endline", "lineend", "lastline", "toline"];
/// Keys of the first line that a call must read, because they could mean something else in a call that writes.
const OFFSET_KEYS: &[&str] = &["offset", "lineoffset", "start", "from"];
/// The same for the last line.
const END_KEYS: &[&str] = &["end", "to"];
/// The same for the number of lines.
const COUNT_KEYS: &[&str] = &["limit", "numlines", "linecount", "maxlines", "count"];
/// The same for both ends of a range, such as `[1, 20]` or `1-20`.
const RANGE_KEYS: &[&str] = &["viewrange", "linerange", "range", "lines"];

/// The longest path in characters, as in Linux.
const MAX_PATH: usize = 4_096;

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
pub struct FileAccess {
    /// The path as the call writes it, without `./` at its start.
    pub path: String,
    /// Whether the file is written.
    pub writes: bool,
    /// The part of the file.
    pub range: FileRange,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileRange {
    /// All of it, as far as the tool returns it.
    Whole,
    /// Lines.
    Lines {
        /// The first one.
        first: u64,
        /// The last one; none for the end of the file.
        last: Option<u64>,
    },
    /// A part that other arguments describe.
    Other(Json),
}

#[derive(Clone, Copy, PartialEq)]
enum Intent {
    Read,
    Write,
}

impl FileTools {
    /// The files that a call reads or writes. A call that reads names one file; a call that writes may name several.
    /// Arguments without keys are a path.
    pub fn accesses(&self, tool: &str, arguments: &Arguments) -> Vec<FileAccess> {
        let parsed = arguments.parsed();
        let empty = Map::new();
        let (fields, text) = match parsed {
            Some(Json::Object(fields)) => (fields, None),
            Some(Json::String(text)) => (&empty, Some(text.clone())),
            Some(_) => return Vec::new(),
            None => (&empty, Some(arguments.text().into_owned())),
        };
        let action = action(fields);
        let does = |list: &Option<Vec<SmolStr>>, intent: Intent| match list {
            Some(tools) => {
                any_matches(tools.iter().map(SmolStr::as_str), tool) && action.is_none_or(|action| action == intent)
            }
            None => action.or_else(|| Intent::of(tool)) == Some(intent),
        };
        let (reads, writes) = (does(&self.reads, Intent::Read), does(&self.writes, Intent::Write));
        if !reads && !writes {
            return Vec::new();
        }
        let paths: Vec<&str> = paths(fields).chain(text.as_deref().filter(|text| is_path(text))).collect();
        if reads && paths.len() != 1 {
            return Vec::new();
        }
        let range = file_range(fields, reads);
        let access = |path: &str| FileAccess {
            path: path.trim_start_matches("./").to_owned(),
            writes: !reads,
            range: range.clone(),
        };
        paths.into_iter().map(access).collect()
    }
}

impl Intent {
    /// What the words of a name say.
    fn of(name: &str) -> Option<Self> {
        let has = |known: &[&str]| has_word(name, known);
        if has(CHANGING) { Some(Self::Write) } else { has(READING).then_some(Self::Read) }
    }
}

fn is_in(word: &str, known: &[&str]) -> bool {
    known.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// Whether one of these words is among the words of a name.
pub(crate) fn has_word(name: &str, known: &[&str]) -> bool {
    key_words(name).any(|word| is_in(word, known))
}

/// What the action of a tool with several of them does, such as `view` of an editor.
fn action(fields: &Map<String, Json>) -> Option<Intent> {
    let mut actions = ACTION_KEYS.iter().filter_map(|key| fields.get(*key)?.as_str());
    let is_word = |text: &&str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    actions.find_map(|action| Some(action).filter(is_word).and_then(Intent::of))
}

/// The values of keys that name files.
fn paths(fields: &Map<String, Json>) -> impl Iterator<Item = &str> {
    let values = fields.iter().filter(|(key, _)| is_path_key(key)).map(|(_, value)| value);
    let texts = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    texts.filter_map(Json::as_str).filter(|text| is_path(text))
}

fn is_path(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= MAX_PATH && !text.contains(char::is_control)
}

/// The part of a file that a call reads or writes.
fn file_range(fields: &Map<String, Json>, reads: bool) -> FileRange {
    let (mut range, mut rest, mut is_known) = (Range::default(), Map::new(), true);
    for (key, value) in fields {
        let name: String = key_words(key).collect::<String>().to_ascii_lowercase();
        let is_absent = matches!(value, Json::Null | Json::Bool(false));
        let is_action = ACTION_KEYS.contains(&key.as_str());
        if is_absent || is_action || is_path_key(key) || COMMENT_KEYS.contains(&name.as_str()) {
            continue;
        }
        is_known &= range.set(&name, value, reads) || !reads;
        rest.insert(key.clone(), value.clone());
    }
    if is_known { range.of_file() } else { FileRange::Other(Json::Object(rest)) }
}

/// The lines that arguments name.
#[derive(Default)]
struct Range {
    first: Option<u64>,
    last: Option<u64>,
    count: Option<u64>,
}

impl Range {
    /// Reads an argument; false if it is not understood.
    fn set(&mut self, key: &str, value: &Json, reads: bool) -> bool {
        let is = |always: &[&str], reading: &[&str]| always.contains(&key) || reads && reading.contains(&key);
        if is(&[], RANGE_KEYS) {
            let Some((first, last)) = pair(value) else { return false };
            (self.first, self.last) = (Some(first), last);
            return true;
        }
        let field = match () {
            () if is(FIRST_KEYS, OFFSET_KEYS) => &mut self.first,
            () if is(LAST_KEYS, END_KEYS) => &mut self.last,
            () if is(&[], COUNT_KEYS) => &mut self.count,
            () => return false,
        };
        *field = number(value);
        field.is_some()
    }

    fn of_file(&self) -> FileRange {
        if self.first.or(self.last).or(self.count).is_none() {
            return FileRange::Whole;
        }
        let first = self.first.unwrap_or(1);
        let counted = self.count.map(|count| first.saturating_add(count).saturating_sub(1));
        let last = self.last.into_iter().chain(counted).min();
        FileRange::Lines { first, last }
    }
}

fn number(value: &Json) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Both ends of a range. An end of -1 is the end of the file.
fn pair(value: &Json) -> Option<(u64, Option<u64>)> {
    if let Some(text) = value.as_str() {
        let (first, last) = text.split_once('-')?;
        return Some((first.trim().parse().ok()?, Some(last.trim().parse().ok()?)));
    }
    match value.as_array()?.as_slice() {
        [first, last] if last.as_i64() == Some(-1) => Some((number(first)?, None)),
        [first, last] => Some((number(first)?, Some(number(last)?))),
        _ => None,
    }
}

/// Whether the last word of a key in any spelling names a path: `path`, `filePath`, `target_file`.
pub(crate) fn is_path_key(key: &str) -> bool {
    // Most keys do not end with one of these words in any spelling, so they need not be split.
    let end = key.trim_end_matches(|c: char| !c.is_alphanumeric()).as_bytes();
    let ends_with = |known: &&str| {
        let start = end.len().checked_sub(known.len());
        start.is_some_and(|start| end[start..].eq_ignore_ascii_case(known.as_bytes()))
    };
    PATH_KEYS.iter().any(ends_with) && key_words(key).next_back().is_some_and(|last| is_in(last, PATH_KEYS))
}

/// The words of an identifier in snake case, kebab case or camel case.
pub(crate) fn key_words(key: &str) -> impl DoubleEndedIterator<Item = &str> {
    let mut starts = vec![0];
    let mut was_lower = false;
    for (at, c) in key.char_indices() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            starts.push(at);
        }
        was_lower = c.is_alphanumeric() && !c.is_uppercase();
    }
    starts.push(key.len());
    let bounds: Vec<(usize, usize)> = starts.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let words = bounds.into_iter().map(|(start, end)| crate::source::slice(key, start..end));
    words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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

    #[test]
    fn words_of_identifiers_are_split_in_every_case() {
        let split = |key| key_words(key).collect::<Vec<_>>().join(" ");
        assert_eq!(split("mcp__web__readFile-now"), "mcp web read File now");
        assert_eq!(split("HTTPGet"), "HTTPGet");
        assert_eq!(split("__"), "");
        assert_eq!(split("目录Path"), "目录 Path");
    }
}
