//! Installs, finds and removes the hook command in a client's JSON settings, which may have comments and trailing commas.
//!
//! The file is edited as text, so that everything else keeps its bytes.

mod edit;
mod tree;

use std::fmt;

use serde_json::{Value as Json, json};

use self::tree::Node;

/// The entry of a hook: a command that a client runs at an event, under the key `hooks`.
#[derive(Debug)]
pub struct SettingsHook {
    /// The event.
    pub event: &'static str,
    /// The name of the client in the command.
    pub client: &'static str,
    /// The name of the hook, for clients that show one.
    pub name: Option<&'static str>,
    /// When the client gives up, in its own unit.
    pub timeout: u32,
}

/// Returns the value of JSON that may have comments and trailing commas, or `None` if it is not valid.
pub fn commented_json(text: &str) -> Option<Json> {
    Node::parse(text).ok().map(|root| root.value(text))
}

/// Why a settings file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsError {
    /// It is not JSON: the line, counted from 1.
    Syntax(usize),
    /// The value of this key does not have the type that the client expects.
    Type(String, &'static str),
    /// A key occurs twice, so that it is not clear which one the client reads.
    Repeated(String),
}

impl fmt::Display for SettingsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(line) => write!(out, "line {line} is not JSON"),
            Self::Type(key, wanted) => write!(out, "`{key}` is not {wanted}"),
            Self::Repeated(key) => write!(out, "`{key}` occurs twice"),
        }
    }
}

impl std::error::Error for SettingsError {}

impl SettingsHook {
    /// Returns the settings with this command as the hook. It replaces a command of Trimtab that is already installed.
    ///
    /// # Errors
    /// The text is not JSON, or a value on the path to the hook has the wrong type.
    pub fn install(&self, text: &str, command: &str) -> Result<String, SettingsError> {
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Ok(self.example(command) + "\n");
        }
        let mut text = text.to_owned();
        loop {
            let root = Node::parse(&text)?;
            let place = HookEntries::of(&root, self.event)?;
            match self.installed_entries(&place).as_slice() {
                [] => return Ok(self.append(&text, &root, &place, command)),
                [only] => {
                    let span = only.command.span.clone();
                    return Ok(edit::replaced(&text, &span, &Json::from(command).to_string()));
                }
                [.., last] => text = self.without(&text, &root, &place, last),
            }
        }
    }

    /// Returns the settings without the hook, or `None` if nothing is left of them.
    ///
    /// # Errors
    /// The text is not JSON, or a value on the path to the hook has the wrong type.
    pub fn uninstall(&self, text: &str) -> Result<Option<String>, SettingsError> {
        let mut left = text.to_owned();
        loop {
            let root = Node::parse(&left)?;
            let place = HookEntries::of(&root, self.event)?;
            match self.installed_entries(&place).last() {
                Some(last) => left = self.without(&left, &root, &place, last),
                None => {
                    return Ok((left == text || left.split_whitespace().collect::<String>() != "{}").then_some(left));
                }
            }
        }
    }

    /// The commands of Trimtab that are installed as this hook.
    ///
    /// # Errors
    /// The text is not JSON, or a value on the path to the hook has the wrong type.
    pub fn installed(&self, text: &str) -> Result<Vec<String>, SettingsError> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let root = Node::parse(text)?;
        let place = HookEntries::of(&root, self.event)?;
        Ok(self
            .installed_entries(&place)
            .iter()
            .filter_map(|entry| entry.command.string().map(str::to_owned))
            .collect())
    }

    /// What is added to the settings, as a person would add it.
    pub fn example(&self, command: &str) -> String {
        format!("{:#}", json!({"hooks": {self.event: [self.group(command)]}}))
    }

    fn group(&self, command: &str) -> Json {
        let mut hook = json!({"type": "command", "command": command, "timeout": self.timeout});
        if let Some(name) = self.name {
            hook["name"] = json!(name);
        }
        json!({"matcher": "*", "hooks": [hook]})
    }

    fn append(&self, text: &str, root: &Node, place: &HookEntries<'_>, command: &str) -> String {
        let group = self.group(command);
        match (place.groups, place.events) {
            (Some(groups), _) => edit::appended(text, groups, None, &group),
            (None, Some(events)) => edit::appended(text, events, Some(self.event), &json!([group])),
            (None, None) => edit::appended(text, root, Some("hooks"), &json!({self.event: [group]})),
        }
    }

    /// The entries with a command of Trimtab.
    fn installed_entries<'n>(&self, place: &HookEntries<'n>) -> Vec<InstalledEntry<'n>> {
        let mut installed = Vec::new();
        for (group, child) in place.groups.into_iter().flat_map(|groups| groups.children.iter().enumerate()) {
            let Some(entries) = child.value.field("hooks") else { continue };
            for (index, child) in entries.children.iter().enumerate() {
                let command = child.value.field("command");
                if let Some(command) =
                    command.filter(|command| command.string().is_some_and(|text| self.is_hook_command(text)))
                {
                    installed.push(InstalledEntry { group, entries, index, command });
                }
            }
        }
        installed
    }

    /// Whether a command calls `trimtab hook CLIENT`, as the one that this hook is installed with does.
    fn is_hook_command(&self, command: &str) -> bool {
        let words: Vec<&str> = command.split(['"', '\'', ' ', '/', '\\']).filter(|word| !word.is_empty()).collect();
        let is_program = |word: &str| matches!(word, "trimtab" | "trimtab.exe");
        words.windows(3).any(|words| is_program(words[0]) && words[1..] == ["hook", self.client])
    }

    /// The text without an entry, and without the lists and objects that contain nothing else.
    fn without(&self, text: &str, root: &Node, place: &HookEntries<'_>, entry: &InstalledEntry<'_>) -> String {
        if entry.entries.children.len() > 1 {
            return edit::removed(text, entry.entries, entry.index);
        }
        if let Some(groups) = place.groups.filter(|groups| !edit::is_only(text, groups)) {
            return edit::removed(text, groups, entry.group);
        }
        match place.events.filter(|events| !edit::is_only(text, events)) {
            Some(events) => edit::removed(text, events, events.position(self.event).unwrap_or_default()),
            None => edit::removed(text, root, root.position("hooks").unwrap_or_default()),
        }
    }
}

/// Whether the value at a path of keys is this word. A file that cannot be read has none.
pub(super) fn is_set(text: &str, path: &[&str], word: &str) -> bool {
    let Ok(root) = Node::parse(text) else { return false };
    let value = path.iter().try_fold(&root, |node, key| node.field(key));
    value.is_some_and(|value| text.get(value.span.clone()) == Some(word))
}

/// An entry with a command of Trimtab.
struct InstalledEntry<'n> {
    /// The index of its group.
    group: usize,
    /// The entries of the group.
    entries: &'n Node,
    /// Its index among them.
    index: usize,
    command: &'n Node,
}

/// The `hooks` object of a settings file, and the list of an event in it, if they exist.
struct HookEntries<'n> {
    events: Option<&'n Node>,
    groups: Option<&'n Node>,
}

impl<'n> HookEntries<'n> {
    fn of(root: &'n Node, event: &str) -> Result<Self, SettingsError> {
        if !root.is_object() {
            return Err(SettingsError::Type("settings".to_owned(), "an object"));
        }
        let events = root.only_field("hooks")?;
        if events.is_some_and(|events| !events.is_object()) {
            return Err(SettingsError::Type("hooks".to_owned(), "an object"));
        }
        let groups = events.map(|events| events.only_field(event)).transpose()?.flatten();
        if groups.is_some_and(|groups| !groups.is_array()) {
            return Err(SettingsError::Type(format!("hooks.{event}"), "a list"));
        }
        Ok(Self { events, groups })
    }
}

#[cfg(test)]
mod tests;
