//! The keys of a YAML file that the policy has nothing of.

use smol_str::format_smolstr;
use trimtab_base::source::Spanned;

use super::node::{Node, Value};
use super::policy::{self, AGENT_KEYS, FILE_KEYS};
use crate::syntax::tree::{Item, Name, Term, TermKind};

/// The keys that a file, an agent and a provider are known by, and those of their values in the `agent` block.
const FILE: [&str; 1] = ["provider"];
const AGENT: [&str; 2] = ["name", "provider"];
const PROVIDER: [&str; 2] = ["name", "kind"];

/// The keys of values of the host, with their words in the `agent` block.
const HOST_VALUES: [(&str, &str); 4] =
    [("model", "model"), ("window", "window"), ("context_window", "window"), ("tools", "tools")];

/// The paths of all keys that are not read or that are not in the policy, in source order.
pub(super) fn keys(root: &Node) -> Vec<Name> {
    let mut unmapped = Unmapped { shared: shared_words(root), keys: Vec::new() };
    unmapped.scope(root, "", &[&FILE_KEYS, &FILE], &["model", "window", "context_window", "tools"]);
    for item in items(root, "agents") {
        unmapped.scope(item.0, &item.1, &[&AGENT_KEYS, &AGENT], &["model", "window", "context_window", "tools"]);
    }
    for item in items(root, "providers") {
        unmapped.scope(item.0, &item.1, &[&PROVIDER], &["model", "context_window"]);
    }
    let mut all = unmapped.keys;
    all.sort_by_key(|key| key.span);
    all.dedup();
    all
}

/// The elements of a list with their paths.
fn items<'a>(root: &'a Node, key: &str) -> Vec<(&'a Node, String)> {
    let Some(Value::List(items)) = root.get(key).map(|node| &node.value) else { return Vec::new() };
    items.iter().enumerate().map(|(index, item)| (&**item, format!("{key}[{index}]."))).collect()
}

/// The words of the `agent` block, which contains what all agents share.
fn shared_words(root: &Node) -> Vec<Name> {
    let items = policy::items(root, true, &mut Vec::new());
    let agent = items.into_iter().find_map(|item| if let Item::Agent(agent) = item { Some(agent) } else { None });
    let terms = agent.map(|agent| agent.terms).unwrap_or_default();
    let word =
        |term: Term| if let TermKind::Word(word) = term.kind { Some(Spanned::new(word, term.span)) } else { None };
    terms.into_iter().filter_map(word).collect()
}

struct Unmapped {
    /// The words of the `agent` block.
    shared: Vec<Name>,
    keys: Vec<Name>,
}

impl Unmapped {
    /// Adds the keys of a file, an agent or a provider that are not read; `values` are those of the host that are.
    fn scope(&mut self, map: &Node, path: &str, read: &[&[&str]], values: &[&str]) {
        for entry in map.entries() {
            let key = entry.key.node.as_str();
            let word =
                HOST_VALUES.iter().find(|(known, _)| values.contains(known) && *known == key).map(|(_, word)| word);
            let is_mapped = match word {
                Some(word) => self.shared.iter().any(|shared| shared.node == *word),
                None => read.iter().any(|keys| keys.contains(&key)),
            };
            if !is_mapped {
                self.add(path, &entry.key);
            } else if key == "options" {
                self.inside(&entry.value, &format!("{path}options."), "context_threshold");
            } else if let (Value::List(tools), "tools") = (&entry.value.value, key) {
                for (index, tool) in tools.iter().enumerate() {
                    self.inside(tool, &format!("{path}tools[{index}]."), "name");
                }
            }
        }
    }

    /// Adds all keys of a map but one.
    fn inside(&mut self, map: &Node, path: &str, read: &str) {
        map.entries().iter().filter(|entry| entry.key.node != read).for_each(|entry| self.add(path, &entry.key));
    }

    fn add(&mut self, path: &str, key: &Name) {
        self.keys.push(Spanned::new(format_smolstr!("{path}{}", key.node), key.span));
    }
}
