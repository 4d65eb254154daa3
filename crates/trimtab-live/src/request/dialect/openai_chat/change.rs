//! Changes of a chat message.

use trimtab_base::conversation::{Body, Role};
use trimtab_recordings::transcript::api;

use crate::request::json::{Node, Slot, Span};
use crate::request::outline::Change;
use crate::request::render::content::{Style, arguments_like, with_pieces};

pub(super) const STYLE: Style =
    Style { read: api::openai_part, text_kind: "text", skips_empty: true, rejects_blank: false };

/// The fields with reasoning, of which providers and gateways send several with the same content.
const REASONING: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"];

/// Returns the text of a message with changes of its parts, or `None` if they cannot be written.
pub(super) fn rewritten(text: &str, changes: &[Change<'_>]) -> Option<String> {
    let element = Node::of(text);
    let message = api::chat_message(text)?;
    let mut fields: Vec<(&str, Option<String>)> = Vec::new();
    let mut changes = changes.iter();
    if message.role == Role::Tool {
        let Some(Change::Replace { old: Body::ToolResult(old), new: Body::ToolResult(new) }) = changes.next() else {
            return None;
        };
        let content = STYLE.result(element.get("content").as_ref(), old, new)?;
        return Some(element.with_fields(&[("content", Some(content))]));
    }
    if matches!(message.parts.first().map(|part| &part.body), Some(Body::Thinking { .. }))
        && *changes.next()? == Change::Remove
    {
        fields.extend(REASONING.map(|key| (key, None)));
    }
    if let Some(content) = element.get("content") {
        let mut pieces = Vec::new();
        for (node, _) in STYLE.pieces(&content) {
            pieces.push((node.span.clone(), STYLE.piece(&node, changes.next()?)));
        }
        // The API rejects an empty list.
        fields.push(("content", Some(with_pieces(&content, &pieces).unwrap_or_else(|| "null".to_owned()))));
    }
    if let Some(refusal) = element.get("refusal").filter(|refusal| refusal.raw() != r#""""#) {
        fields.push(("refusal", Some(STYLE.piece(&refusal, changes.next()?).unwrap_or_else(|| "null".to_owned()))));
    }
    if let Some(calls) = element.get("tool_calls").filter(Node::is_array) {
        fields.push(("tool_calls", Some(with_calls(&calls, &mut changes)?)));
    }
    if let Some(call) = element.get("function_call").filter(Node::is_object) {
        fields.push(("function_call", Some(with_arguments(&call, changes.next()?))));
    }
    changes.next().is_none().then(|| element.with_fields(&fields))
}

fn with_calls<'c>(calls: &Node<'_>, changes: &mut impl Iterator<Item = &'c Change<'c>>) -> Option<String> {
    let (mut items, mut slots): (Vec<Span>, Vec<Slot>) = (Vec::new(), Vec::new());
    for (at, call) in calls.elements().iter().enumerate() {
        items.push(call.span.clone());
        slots.push(match changes.next()? {
            Change::Keep | Change::Remove => Slot::Keep(at),
            change @ Change::Replace { .. } => Slot::Changed(at, with_arguments(call, change)),
        });
    }
    Some(calls.with_items(&items, &slots))
}

/// A call with other arguments, which are in a nested object or beside the id.
fn with_arguments(call: &Node<'_>, change: &Change<'_>) -> String {
    let Change::Replace { new: Body::ToolCall { arguments, .. }, .. } = change else { return call.raw().to_owned() };
    let nested = ["function", "custom"].into_iter().find_map(|key| Some((key, call.get(key)?)));
    let nested = nested.filter(|(_, object)| object.is_object());
    let object = nested.as_ref().map_or(call, |(_, object)| object);
    let keys = ["arguments", "args", "input"];
    let Some((key, old)) = keys.into_iter().find_map(|key| Some((key, object.get(key)?))) else {
        return call.raw().to_owned();
    };
    let object = object.with_fields(&[(key, Some(arguments_like(Some(&old), arguments)))]);
    match nested {
        Some((key, _)) => call.with_fields(&[(key, Some(object))]),
        None => object,
    }
}
