//! The system prompt beside the list, and the tools of a request body.

use trimtab_base::conversation::{Message, Role, Views};
use trimtab_recordings::transcript::api;

use super::super::Request;
use super::super::dialect::{Form, SystemElements, TOOLS_KEY};
use super::super::json::{Node, Slot, Span, literal};
use super::super::outline::{Change, Outline};
use super::content::{Blocks, with_pieces};

/// A new value of a field of the body. `None` removes the field.
pub(super) type FieldEdit = (&'static str, Option<String>);

impl Request {
    /// Whether additions to the system prompt are elements of the list.
    pub(super) fn has_prompt_in_list(&self) -> bool {
        let list = &self.history[self.system_len..];
        let form = self.dialect.form();
        list.first().is_some_and(|first| first.role == Role::System)
            || form.system_elements != SystemElements::Instead && self.layout.system.is_none()
    }

    /// The texts for the end of the system prompt that have no place, because the JSON is a list alone.
    pub(super) fn homeless_prompt(&self, outline: &Outline<'_>) -> Vec<String> {
        let has_place = self.has_prompt_in_list() || self.layout.is_body;
        if has_place { Vec::new() } else { outline.prompt().map(Message::plain_text).collect() }
    }

    /// The system prompt beside the list, if it changes.
    pub(super) fn system_edit(&self, outline: &Outline<'_>) -> Option<FieldEdit> {
        let form = self.dialect.form();
        let key = form.system_keys.first().filter(|_| self.layout.is_body)?;
        let added: Vec<String> = outline.prompt().map(Message::plain_text).collect();
        let is_kept = self.system_len == 0 || outline.is_kept(0);
        if added.is_empty() && (self.system_len == 0 || is_kept && outline.is_untouched(0)) {
            return None;
        }
        let Some((key, span)) = self.layout.system.clone() else {
            return Some((key, Some(prompt(form, &added))));
        };
        let text = api::without_lone_surrogates(Node::at(&self.text, span).raw());
        let whole = Node::of(&text);
        let list = form.system_list_key.and_then(|key| Some((key, whole.get(key)?)));
        let node = list.as_ref().map_or(&whole, |(_, list)| list);
        let changes = self.history[..self.system_len].first().map(|first| outline.changes(0, first));
        let content = changed(form.blocks, node, is_kept, &changes.unwrap_or_default());
        let new = extended(form.blocks, node, content, &added)
            .map(|new| list.as_ref().map_or(new.clone(), |(key, _)| whole.with_fields(&[(key, Some(new))])));
        Some((key, new))
    }

    /// The tools, if some are not offered. A body without tools has no choice between them.
    pub(super) fn tool_edits(&self, views: &Views) -> Vec<FieldEdit> {
        let Some(tools) = self.tools_node().filter(Node::is_array) else { return Vec::new() };
        let form = self.dialect.form();
        let is_offered = |tool: &Node<'_>| tool_name(tool).is_none_or(|name| views.offers_tool(&name));
        let elements = tools.elements();
        let slot = |(at, element): (usize, &Node<'_>)| match form.tool_group(element) {
            Some((key, group)) => match filtered(&group, is_offered) {
                Filtered::Whole => Some(Slot::Keep(at)),
                Filtered::Nothing => None,
                Filtered::Part(left) => Some(Slot::Changed(at, element.with_fields(&[(key, Some(left))]))),
            },
            None => is_offered(element).then_some(Slot::Keep(at)),
        };
        let slots: Vec<Slot> = elements.iter().enumerate().filter_map(slot).collect();
        if slots.iter().enumerate().all(|(at, slot)| *slot == Slot::Keep(at)) && slots.len() == elements.len() {
            return Vec::new();
        }
        if slots.is_empty() {
            let choices = form.tool_choice_keys.iter().map(|key| (*key, None));
            return std::iter::once((TOOLS_KEY, None)).chain(choices).collect();
        }
        let items: Vec<Span> = elements.into_iter().map(|tool| tool.span).collect();
        vec![(TOOLS_KEY, Some(tools.with_items(&items, &slots)))]
    }
}

/// What is left of a list.
enum Filtered {
    Whole,
    Part(String),
    Nothing,
}

/// The list with some of its elements.
fn filtered(list: &Node<'_>, is_kept: impl Fn(&Node<'_>) -> bool) -> Filtered {
    let elements = list.elements();
    let slots: Vec<Slot> = (0..elements.len()).filter(|at| is_kept(&elements[*at])).map(Slot::Keep).collect();
    if slots.len() == elements.len() {
        return Filtered::Whole;
    }
    if slots.is_empty() {
        return Filtered::Nothing;
    }
    let items: Vec<Span> = elements.into_iter().map(|element| element.span).collect();
    Filtered::Part(list.with_items(&items, &slots))
}

/// The name of a tool, or the type of a tool of the provider.
fn tool_name(tool: &Node<'_>) -> Option<String> {
    let of = |node: &Node<'_>| node.get_string("name");
    of(tool).or_else(|| of(&tool.get("function")?)).or_else(|| tool.get_string("type")).or_else(|| tool.string())
}

/// Returns a system prompt after changes of its parts, or `None` if nothing is left.
fn changed(blocks: &Blocks, node: &Node<'_>, is_kept: bool, changes: &[Change<'_>]) -> Option<String> {
    if !is_kept {
        return None;
    }
    let mut changes = changes;
    let pieces = blocks.pieces(node).into_iter().map(|(piece, bodies)| {
        let (own, rest) = changes.split_at(bodies.len().min(changes.len()));
        changes = rest;
        let is_same = own.iter().all(|change| *change == Change::Keep);
        let new = if is_same { Some(piece.raw().to_owned()) } else { (blocks.write)(&piece, own) };
        (piece.span.clone(), new)
    });
    with_pieces(node, &pieces.collect::<Vec<_>>())
}

/// A system prompt with additions: more blocks in a list, or a longer text.
fn extended(blocks: &Blocks, node: &Node<'_>, content: Option<String>, added: &[String]) -> Option<String> {
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
    let block = |text: &String| Slot::New((blocks.text)(text));
    let slots: Vec<Slot> = (0..items.len()).map(Slot::Keep).chain(added.iter().map(block)).collect();
    Some(list.with_items(&items, &slots))
}

/// A new system prompt.
fn prompt(form: &Form, added: &[String]) -> String {
    let Some(key) = form.system_list_key else { return literal(&joined(None, added)) };
    let blocks: Vec<String> = added.iter().map(|text| (form.blocks.text)(text)).collect();
    format!("{{{}:[{}]}}", literal(key), blocks.join(","))
}

fn joined(before: Option<String>, added: &[String]) -> String {
    before.into_iter().chain(added.iter().cloned()).collect::<Vec<_>>().join("\n")
}
