//! What a tool call does: its intent, the files that it names, the lines of them, and the command that it runs, as the name of
//! its tool and its arguments say.
//!
//! Effects, summaries and playbooks ask here, so that they agree. The module knows names of tools and no conversation.

mod command;
mod intent;
mod key;
mod patch;
mod range;
mod stub;

use serde_json::{Map, Value as Json};

use self::key::{ACTION_KEYS, COMMAND_KEYS};
pub use command::ShellCommand;
pub use command::{identity, main_part};
pub use intent::Intent;
pub use key::is_path_key;
pub use patch::patched_files;
pub use range::FileRange;
pub use stub::is_stub;

/// The longest path in characters, as in Linux.
const MAX_PATH: usize = 4_096;
/// The most files of a patch that are looked at.
const MAX_PATCHED: usize = 100;
/// The longest action, such as `str_replace`, in characters.
const MAX_ACTION: usize = 20;

/// What a call does.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse<'a> {
    /// What it is for.
    pub intent: Intent,
    /// The action of a tool with several, such as `view` of an editor: one word beside a path.
    pub action: Option<&'a str>,
    /// Whether the intent is that of the action.
    pub by_action: bool,
    /// Whether it is about files, as its arguments or the name of its tool say.
    pub of_files: bool,
    /// The values of the keys that name files, or the arguments if they are a text, as the call writes them; the files of a
    /// patch if there are none.
    pub paths: Vec<&'a str>,
    /// The part of the files.
    pub range: FileRange,
    /// The shell command that it runs.
    pub command: Option<ShellCommand>,
}

impl<'a> ToolUse<'a> {
    /// The files that it changes, each once, as [`file_name`] writes them. Commands are not searched for files.
    pub fn changed_files(&self) -> Vec<&'a str> {
        let mut files = Vec::new();
        for path in self.paths.iter().filter(|_| self.intent == Intent::Write).map(|path| file_name(path)) {
            if !files.contains(&path) {
                files.push(path);
            }
        }
        files
    }

    /// Whether it may change something. A call that nothing is known about counts.
    pub fn may_change(&self) -> bool {
        match (self.intent, &self.command) {
            (Intent::Run, Some(command)) => !command.only_reads(),
            (Intent::Write | Intent::Run | Intent::Unknown, _) => true,
            (Intent::Read | Intent::List | Intent::Search | Intent::Plan | Intent::Look, _) => false,
        }
    }
}

/// Whether a tool with this name runs shell commands.
pub fn runs_commands(name: &str) -> bool {
    Intent::runs_commands(intent::own_name(name))
}

/// Classifies a call of a tool with this name. Arguments that are no JSON are passed as a text.
pub fn classify<'a>(name: &str, arguments: &'a Json) -> ToolUse<'a> {
    let empty = Map::new();
    let fields = arguments.as_object().unwrap_or(&empty);
    let has_path = fields.keys().any(|key| is_path_key(key));
    let own = intent::own_name(name);
    let is_shell = Intent::runs_commands(own);
    let action = if has_path && !is_shell { arguments.as_object().and_then(action) } else { None };
    let command = if action.is_some() { None } else { command_text(arguments).map(ShellCommand::new) };
    let said = action.map(|action| Intent::of(action, has_path)).filter(|intent| *intent != Intent::Unknown);
    let intent = match said {
        Some(intent) => intent,
        None if is_shell => Intent::Run,
        None => match Intent::of(own, has_path) {
            Intent::Unknown => Intent::of(name, has_path),
            intent => intent,
        },
    };
    let mut paths: Vec<&str> = match arguments {
        Json::Object(fields) => paths(fields).collect(),
        Json::String(text) if is_path(text) => vec![text],
        _ => Vec::new(),
    };
    if intent == Intent::Write && paths.is_empty() {
        paths = patched(arguments);
    }
    let of_files = !paths.is_empty() || Intent::names_files(own);
    let range = if paths.is_empty() { FileRange::Whole } else { FileRange::of(fields, intent != Intent::Write) };
    ToolUse {
        intent,
        action,
        by_action: said.is_some(),
        of_files,
        paths,
        range,
        command: command.filter(|_| intent == Intent::Run),
    }
}

/// The action among the fields of a call that names a file.
fn action(fields: &Map<String, Json>) -> Option<&str> {
    let action = ACTION_KEYS.iter().find_map(|key| fields.get(*key)?.as_str())?;
    let is_word = action.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (is_word && (1..=MAX_ACTION).contains(&action.len())).then_some(action)
}

/// The command of a call: a text, or a list of arguments, of which `bash -c` is no part.
pub fn command_text(arguments: &Json) -> Option<String> {
    match COMMAND_KEYS.iter().find_map(|key| arguments.get(key))? {
        Json::String(text) => Some(text.clone()),
        Json::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
            Some(match words.as_slice() {
                [shell, option, script] if shell.ends_with("sh") && option.ends_with('c') => (*script).to_owned(),
                words if arguments.get("commands").is_some() => words.join("\n"),
                words => words.join(" "),
            })
        }
        _ => None,
    }
}

/// The files of the patches among the arguments, each once.
fn patched(arguments: &Json) -> Vec<&str> {
    let values = arguments.as_object().into_iter().flat_map(Map::values).chain([arguments]);
    let files = values.filter_map(Json::as_str).flat_map(patched_files).filter(|path| is_path(path));
    let mut found = Vec::new();
    for file in files {
        if !found.contains(&file) && found.len() < MAX_PATCHED {
            found.push(file);
        }
    }
    found
}

/// The values of keys that name files.
fn paths(fields: &Map<String, Json>) -> impl Iterator<Item = &str> {
    let values = fields.iter().filter(|(key, _)| is_path_key(key)).map(|(_, value)| value);
    let texts = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    texts.filter_map(Json::as_str).filter(|text| is_path(text))
}

/// A path as it is compared with others: without `./` at its start.
pub fn file_name(path: &str) -> &str {
    path.trim_start_matches("./")
}

fn is_path(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= MAX_PATH && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests;
