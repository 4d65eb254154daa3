//! The keys of a YAML file that the policy has nothing of.

use smol_str::format_smolstr;

use super::node::{Node, Value};
use super::policy::{AGENT_KEYS, FILE_KEYS};
use crate::source::Spanned;
use crate::syntax::tree::Name;

/// The keys of a host in a file, an agent or a provider.
const HOST_KEYS: [&str; 7] = ["name", "provider", "model", "window", "context_window", "tools", "kind"];

/// The paths of all keys that are not read, in source order.
pub(super) fn keys(root: &Node) -> Vec<Name> {
    let mut all = Vec::new();
    add(root, "", &[&FILE_KEYS, &HOST_KEYS], &mut all);
    for (key, read) in [("agents", AGENT_KEYS.as_slice()), ("providers", &[])] {
        let Some(node) = root.get(key) else { continue };
        let Value::List(items) = &node.value else { continue };
        for (index, item) in items.iter().enumerate() {
            add(item, &format!("{key}[{index}]."), &[read, &HOST_KEYS], &mut all);
        }
    }
    all.sort_by_key(|key| key.span);
    all.dedup();
    all
}

/// Adds the keys of a map that are in none of the lists.
fn add(map: &Node, path: &str, read: &[&[&str]], all: &mut Vec<Name>) {
    let unread = map.entries().iter().filter(|entry| !read.iter().any(|keys| keys.contains(&entry.key.node.as_str())));
    all.extend(unread.map(|entry| Spanned::new(format_smolstr!("{path}{}", entry.key.node), entry.key.span)));
}
