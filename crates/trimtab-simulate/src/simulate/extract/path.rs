//! Paths of files in the arguments of calls.

use serde_json::Value as Json;
use trimtab_base::tool_use::{is_path_key, patched_files};

use super::quote::is_line_break;

/// The longest path in characters. Longer values of such keys are texts; Linux allows 4,096, but nobody works with them.
const MAX_PATH: usize = 200;
/// The most paths of one call. More are the content of a file or a listing, and not what the call is about.
const MAX_PATHS: usize = 20;
/// The characters of a text that are searched for words that look like paths. They are a command or a request; what
/// follows in a longer text is content.
const MAX_SEARCHED: usize = 2_000;
/// How deep values are searched. Arguments of tools are flat, with a list of edits or questions at most.
const MAX_DEPTH: usize = 8;

/// Extensions that make a word without a slash a file. Others are as likely methods, hosts or versions.
const EXTENSIONS: &[&str] = &[
    "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "doc", "docx", "go", "gz", "h", "hpp", "html", "ini",
    "ipynb", "java", "jpg", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "pdf", "php", "png",
    "proto", "py", "rb", "rs", "rst", "scala", "sh", "sql", "svg", "swift", "tex", "tf", "toml", "ts", "tsv", "tsx",
    "txt", "vue", "xlsx", "xml", "yaml", "yml", "zip",
];

/// The paths in the arguments of a call, each once, in order: values of keys such as `path`; if there are none, files of a
/// patch; if there are none, words of commands, and texts of one word, that look like paths. Longer texts mention files
/// that the call does not touch.
pub(super) fn paths(arguments: &Json) -> Vec<String> {
    let sources: [fn(&str, &str) -> Vec<String>; 3] = [
        |key, text| if is_path_key(key) && is_path(text) { vec![text.to_owned()] } else { Vec::new() },
        |_, text| patched(text),
        |key, text| if is_script_key(key) { words(text) } else { word(text).into_iter().collect() },
    ];
    for source in sources {
        let mut found: Vec<String> = Vec::new();
        walk("", arguments, MAX_DEPTH, &mut |key, text| {
            if found.len() < MAX_PATHS {
                let new = source(key, text).into_iter().filter(|path| !found.contains(path)).take(MAX_PATHS);
                let new: Vec<String> = new.collect();
                found.extend(new);
            }
        });
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Visits each text with the key that it stands under.
pub(super) fn walk<'a>(key: &'a str, value: &'a Json, depth: usize, visit: &mut impl FnMut(&'a str, &'a str)) {
    match value {
        Json::String(text) => visit(key, text),
        Json::Array(items) if depth > 0 => items.iter().for_each(|item| walk(key, item, depth - 1, visit)),
        Json::Object(fields) if depth > 0 => fields.iter().for_each(|(key, item)| walk(key, item, depth - 1, visit)),
        _ => {}
    }
}

/// Whether the value of such a key is a path and not a content or an address.
fn is_path(text: &str) -> bool {
    let is_long = text.char_indices().nth(MAX_PATH).is_some();
    let breaks = |c: char| c.is_control() || is_line_break(c);
    !is_long && !text.trim().is_empty() && text.trim() == text && !text.contains("://") && !text.contains(breaks)
}

/// Whether the value of a key is a command, or the only argument of a call.
fn is_script_key(key: &str) -> bool {
    ["", "command", "cmd", "commands", "script", "input"].contains(&key)
}

/// A text that looks like a path as a whole.
fn word(text: &str) -> Option<String> {
    let found = if text.len() <= 4 * MAX_PATH { words(text) } else { Vec::new() };
    found.into_iter().next().filter(|word| word == text.trim())
}

/// The files of a patch, each once.
fn patched(text: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for path in patched_files(text).filter(|path| is_path(path)) {
        if files.len() < MAX_PATHS && !files.iter().any(|known| known == path) {
            files.push(path.to_owned());
        }
    }
    files
}

/// The words of a text that look like paths.
fn words(text: &str) -> Vec<String> {
    let end = text.char_indices().nth(MAX_SEARCHED).map_or(text.len(), |(at, _)| at);
    let text = trimtab_base::source::up_to(text, end);
    let inside = |c: char| c.is_alphanumeric() || "/._-~+@".contains(c);
    let mut found = Vec::new();
    // An address ends at white space, at a quotation mark or bracket, or where another script begins.
    let breaks = |c: char| c.is_whitespace() || !c.is_ascii() || "\"'`<>()[]{}".contains(c);
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, address) = rest.split_at(at);
        let scheme = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '+');
        found.push(scheme);
        rest = address.find(breaks).map_or("", |end| trimtab_base::source::starting_at(address, end));
    }
    found.push(rest);
    let words = found.iter().flat_map(|text| text.split(|c: char| !inside(c)));
    let words = words.map(|word| word.trim_end_matches(['.', '-', '/', '+', '@']).trim_start_matches(['+', '@', '-']));
    let mut paths: Vec<String> = Vec::new();
    for word in words.filter(|word| looks_like_path(word)) {
        if paths.len() < MAX_PATHS && !paths.iter().any(|known| known == word) {
            paths.push(word.to_owned());
        }
    }
    paths
}

/// Whether a word looks like the path of a file: a slash and an extension, or an extension of a well-known format. Words
/// with a slash alone are as often fractions, options, branches and media types.
fn looks_like_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let has_slash = name.len() < word.len();
    let is_short = word.chars().nth(MAX_PATH).is_none() && !word.contains("//");
    // `.gitignore` is all extension.
    let longest = if stem.is_empty() { 20 } else { 8 };
    let has_extension = extension.len() <= longest && is_extension(extension);
    is_short && (has_slash && has_extension || !stem.is_empty() && EXTENSIONS.contains(&extension))
}

fn is_extension(end: &str) -> bool {
    end.starts_with(|c: char| c.is_ascii_alphabetic())
        && end.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_path_keys_come_before_words() {
        let call = json!({"command": "view other/a.rs", "filePath": "src/目录 1/文件", "file_text": "lib/b.rs"});
        assert_eq!(paths(&call), ["src/目录 1/文件"]);
        assert_eq!(paths(&json!({"edits": [{"path": "a"}, {"target_file": "b"}, {"PATH": "a"}]})), ["a", "b"]);
        assert_eq!(paths(&json!({"path": "https://a.b/c.rs", "file": "two\nlines"})), [""; 0]);
        assert_eq!(paths(&json!({"path": "x".repeat(500), "profile": "p"})), [""; 0]);
    }

    #[test]
    fn the_files_of_a_patch_are_found_at_any_length() {
        let body = "+line\n".repeat(10_000);
        let patch = format!("*** Begin Patch\n*** Update File: src/a b.rs\n{body}*** Add File: 目录\n*** End Patch");
        assert_eq!(paths(&json!({ "input": patch })), ["src/a b.rs", "目录"]);
        assert_eq!(paths(&json!("--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@")), ["x.c"]);
    }

    #[test]
    fn words_that_look_like_paths_are_found_in_any_script() {
        let text =
            "cat ./é.rs /etc/hosts 目录/文件.rs and/or I/O s/a/b/ 1.2.3 os.path a.b Cargo.toml, ~/x/.gitignore µSv/h.";
        assert_eq!(paths(&json!({ "target": "see a/b.rs", "into": " a/b.rs" })), ["a/b.rs"]);
        assert_eq!(paths(&json!({ "command": text })), ["./é.rs", "目录/文件.rs", "Cargo.toml", "~/x/.gitignore"]);
        assert_eq!(paths(&json!("看https://a.b/c.html，然后改src/文.rs。")), ["然后改src/文.rs"]);
        assert_eq!(paths(&json!("git clone https://a.b/c.git x/y.py && wget http://q/r.txt")), ["x/y.py"]);
        assert_eq!(paths(&json!("//x 目. 🦀/a @scope/pkg")), [""; 0]);
    }
}
