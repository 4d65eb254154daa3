//! The system prompt beside the list, and the tools of a request body.

use trimtab_base::conversation::{Message, Role, Views};
use trimtab_recordings::transcript::api;

use super::super::Request;
use super::super::json::{Node, Slot, Span, literal};
use super::super::outline::{Change, Outline};
use super::anthropic::STYLE;
use super::content::with_pieces;

/// A new value of a field of the body; none removes the field.
pub(super) type FieldEdit = (&'static str, Option<String>);

impl Request {
    /// Whether additions to the system prompt are elements of the list.
    pub(super) fn has_prompt_in_list(&self) -> bool {
        let list = &self.history[self.system_len..];
        match self.dialect.system_key() {
            None => true,
            Some(_) if list.first().is_some_and(|first| first.role == Role::System) => true,
            Some(_) => self.dialect.has_system_elements() && self.layout.system.is_none(),
        }
    }

    /// The texts for the end of the system prompt that have no place, because the JSON is a list alone.
    pub(super) fn homeless_prompt(&self, outline: &Outline<'_>) -> Vec<String> {
        let has_place = self.has_prompt_in_list() || self.layout.is_body;
        if has_place { Vec::new() } else { outline.prompt().map(Message::plain_text).collect() }
    }

    /// The system prompt beside the list, if it changes.
    pub(super) fn system_edit(&self, outline: &Outline<'_>) -> Option<FieldEdit> {
        let key = self.dialect.system_key().filter(|_| self.layout.is_body)?;
        let added: Vec<String> = outline.prompt().map(Message::plain_text).collect();
        let is_kept = self.system_len == 0 || outline.is_kept(0);
        if added.is_empty() && (self.system_len == 0 || is_kept && outline.is_untouched(0)) {
            return None;
        }
        let Some(span) = self.layout.system.clone() else { return Some((key, Some(literal(&joined(None, &added))))) };
        let text = api::without_lone_surrogates(Node::at(&self.text, span).raw());
        let node = Node::of(&text);
        let changes = self.history[..self.system_len].first().map(|first| outline.changes(0, first));
        let content = changed(&node, is_kept, &changes.unwrap_or_default());
        Some((key, extended(&node, content, &added)))
    }

    /// The tools, if some are not offered. A body without tools has no choice between them.
    pub(super) fn tool_edits(&self, views: &Views) -> Vec<FieldEdit> {
        let Some(tools) = self.tools_node().filter(Node::is_array) else { return Vec::new() };
        let elements = tools.elements();
        let is_offered = |tool: &Node<'_>| tool_name(tool).is_none_or(|name| views.offers_tool(&name));
        let kept: Vec<Slot> = (0..elements.len()).filter(|at| is_offered(&elements[*at])).map(Slot::Keep).collect();
        if kept.len() == elements.len() {
            return Vec::new();
        }
        if kept.is_empty() {
            return vec![("tools", None), ("tool_choice", None), ("parallel_tool_calls", None)];
        }
        let items: Vec<Span> = elements.into_iter().map(|tool| tool.span).collect();
        vec![("tools", Some(tools.with_items(&items, &kept)))]
    }
}

/// The name of a tool, or the type of a tool of the provider.
fn tool_name(tool: &Node<'_>) -> Option<String> {
    let of = |node: &Node<'_>| node.get_string("name");
    of(tool).or_else(|| of(&tool.get("function")?)).or_else(|| tool.get_string("type")).or_else(|| tool.string())
}

/// A system prompt after changes of its parts; none if nothing is left.
fn changed(node: &Node<'_>, is_kept: bool, changes: &[Change<'_>]) -> Option<String> {
    if !is_kept {
        return None;
    }
    let pieces = STYLE.pieces(node).into_iter().enumerate().map(|(at, (piece, _))| {
        let change = changes.get(at).copied().unwrap_or(Change::Keep);
        (piece.span.clone(), STYLE.piece(&piece, &change))
    });
    with_pieces(node, &pieces.collect::<Vec<_>>())
}

/// A system prompt with additions: more blocks in a list, or a longer text.
fn extended(node: &Node<'_>, content: Option<String>, added: &[String]) -> Option<String> {
    if added.is_empty() {
        return content;
    }
    if !node.is_array() {
        let before = content.and_then(|content| Node::of(&content).string());
        return Some(literal(&joined(before, added)));
    }
    let content = content.unwrap_or_else(|| "[]".to_owned());
    let list = Node::of(&content);
    let items: Vec<Span> = list.elements().into_iter().map(|item| item.span).collect();
    let block = |text: &String| Slot::New(format!(r#"{{"type":"text","text":{}}}"#, literal(text)));
    let slots: Vec<Slot> = (0..items.len()).map(Slot::Keep).chain(added.iter().map(block)).collect();
    Some(list.with_items(&items, &slots))
}

fn joined(before: Option<String>, added: &[String]) -> String {
    before.into_iter().chain(added.iter().cloned()).collect::<Vec<_>>().join("\n")
}
