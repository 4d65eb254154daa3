//! What the context of one call contains.

use smol_str::SmolStr;
use trimtab_base::conversation::{Counter, Entry};
use trimtab_simulate::simulate::Sent;

use super::held::{HeldPart, kind, message_of, preview, tool};

/// The most parts that are listed.
const MAX_LISTED: usize = 10;

/// What the context of one call contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallContent {
    /// The call.
    pub call: usize,
    /// The messages by role.
    pub roles: Vec<ContentGroup>,
    /// The tool results by tool.
    pub tools: Vec<ContentGroup>,
    /// The largest parts, the largest first.
    pub largest: Vec<HeldPart>,
}

/// Messages or results with something in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentGroup {
    /// The role or the tool.
    pub name: SmolStr,
    /// Their number.
    pub messages: usize,
    /// Their counted tokens.
    pub tokens: u64,
}

/// The content of a context.
pub(super) fn content(sent: &Sent<'_>, counter: &dyn Counter) -> CallContent {
    let (mut roles, mut tools, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for entry in sent.conversation.entries() {
        add(&mut roles, entry.role().word().into(), entry.tokens());
        if entry.message().results().next().is_some() {
            add(&mut tools, answered_tool(entry), entry.tokens());
        }
        for (id, part) in entry.parts() {
            parts.push((entry.part_tokens(id, counter), entry, part));
        }
    }
    tools.sort_by_key(|group| std::cmp::Reverse(group.tokens));
    parts.sort_by_key(|(tokens, ..)| std::cmp::Reverse(*tokens));
    let largest = parts.into_iter().take(MAX_LISTED).map(|(tokens, entry, part)| HeldPart {
        message: message_of(entry),
        role: entry.role().word(),
        kind: kind(&part.body),
        tool: tool(&part.body).or_else(|| entry.tool().cloned()),
        tokens,
        calls: None,
        preview: preview(&part.body),
    });
    CallContent { call: sent.call, roles, tools, largest: largest.collect() }
}

/// The tool of a result.
fn answered_tool(entry: &Entry) -> SmolStr {
    entry.tool().cloned().unwrap_or_else(|| SmolStr::new_static("unknown tool"))
}

fn add(groups: &mut Vec<ContentGroup>, name: SmolStr, tokens: u64) {
    match groups.iter_mut().find(|group| group.name == name) {
        Some(group) => {
            group.messages += 1;
            group.tokens += tokens;
        }
        None => groups.push(ContentGroup { name, messages: 1, tokens }),
    }
}
