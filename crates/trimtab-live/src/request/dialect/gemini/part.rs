//! Changes of a part of a content.
//!
//! A part has one kind of content, and perhaps a signature, which stands for the reasoning before it.

use trimtab_base::conversation::{Body, ToolResult};
use trimtab_recordings::transcript::api;

use super::is_thinking;
use crate::request::json::{Node, Slot, Span, literal};
use crate::request::outline::Change;
use crate::request::render::content::{NewAttachment, arguments_like};

const SIGNATURE: [&str; 2] = ["thoughtSignature", "thought_signature"];
const CALL: [&str; 2] = ["functionCall", "function_call"];
const RESULT: [&str; 2] = ["functionResponse", "function_response"];

/// Returns a part after changes of what it is read as, or `None` if nothing is left of it.
pub(super) fn rewritten(part: &Node<'_>, changes: &[Change<'_>]) -> Option<String> {
    let bodies = api::gemini_bodies(part.raw());
    let has_signature = bodies.len() > 1 && is_thinking(&bodies[0]);
    let (signature, content) = if has_signature { changes.split_at(1) } else { (&[][..], changes) };
    let keeps_signature = has_signature && signature.first() != Some(&Change::Remove);
    let text = match content.first()? {
        Change::Keep => part.raw().to_owned(),
        Change::Remove if keeps_signature => {
            let signature = field(part, SIGNATURE)?;
            return Some(format!(r#"{{"text":"",{}:{}}}"#, literal(signature.0), signature.1.raw()));
        }
        Change::Remove => return None,
        Change::Replace { old, new } => replaced(part, old, new),
    };
    if !has_signature || keeps_signature {
        return Some(text);
    }
    Some(Node::of(&text).with_fields(&SIGNATURE.map(|key| (key, None))))
}

fn replaced(part: &Node<'_>, old: &Body, new: &Body) -> String {
    match (old, new) {
        (Body::Text(_), Body::Text(text)) if part.is_string() => literal(text),
        (Body::Text(_), Body::Text(text)) => part.with_fields(&[("text", Some(literal(text)))]),
        // The signature of an image is one of its reasoning.
        (_, Body::Text(text)) => {
            let signature = field(part, SIGNATURE).map(|(key, value)| format!(",{}:{}", literal(key), value.raw()));
            format!(r#"{{"text":{}{}}}"#, literal(text), signature.unwrap_or_default())
        }
        (Body::ToolCall { .. }, Body::ToolCall { arguments, .. }) => changed(part, CALL, |call| {
            call.with_fields(&[("args", Some(arguments_like(call.get("args").as_ref(), arguments)))])
        }),
        (Body::ToolResult(old), Body::ToolResult(new)) => changed(part, RESULT, |result| with_result(result, old, new)),
        _ => part.raw().to_owned(),
    }
}

/// The part with a change of the object in a field.
fn changed(part: &Node<'_>, keys: [&'static str; 2], change: impl Fn(&Node<'_>) -> String) -> String {
    match field(part, keys) {
        Some((key, object)) => part.with_fields(&[(key, Some(change(&object)))]),
        None => part.raw().to_owned(),
    }
}

/// The response of a function with another text, and without the texts and files beside it that are gone.
fn with_result(function: &Node<'_>, old: &ToolResult, new: &ToolResult) -> String {
    let is_new = new.text != old.text;
    let mut fields = Vec::new();
    if is_new {
        fields.push(("response", Some(with_text(function.get("response").as_ref(), new))));
    }
    if let Some(parts) = function.get("parts").filter(Node::is_array) {
        let (mut items, mut slots): (Vec<Span>, Vec<Slot>) = (Vec::new(), Vec::new());
        let mut attachments = NewAttachment::all(old, new).into_iter();
        for (at, part) in parts.elements().iter().enumerate() {
            items.push(part.span.clone());
            match api::gemini_bodies(part.raw()).as_slice() {
                [Body::Text(_)] if is_new => {}
                [Body::Text(_)] | [] => slots.push(Slot::Keep(at)),
                [body, ..] => match attachments.next() {
                    Some(NewAttachment::Same) => slots.push(Slot::Keep(at)),
                    Some(NewAttachment::Text(text)) => {
                        slots.push(Slot::Changed(at, replaced(part, body, &Body::Text(text.into()))));
                    }
                    Some(NewAttachment::Removed) | None => {}
                },
            }
        }
        fields.push(("parts", (!slots.is_empty()).then(|| parts.with_items(&items, &slots))));
    }
    function.with_fields(&fields)
}

/// A response with another text: in its only field, or as its only field.
fn with_text(response: Option<&Node<'_>>, new: &ToolResult) -> String {
    let text = literal(&new.text);
    let fields = response.map(Node::fields).unwrap_or_default();
    let key = match fields.as_slice() {
        [only] if only.value.is_string() => only.key.as_str(),
        _ if new.is_error => "error",
        _ => "output",
    };
    format!("{{{}:{text}}}", literal(key))
}

/// The field with the first of the keys that is there.
fn field<'n>(node: &Node<'n>, keys: [&'static str; 2]) -> Option<(&'static str, Node<'n>)> {
    keys.into_iter().find_map(|key| Some((key, node.get(key)?)))
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Part;

    use super::*;

    const REMOVE: Change<'static> = Change::Remove;

    #[test]
    fn a_signature_and_its_part_are_removed_apart() {
        let part = Node::of(r#"{"functionCall":{"name":"a","args":{}},"thoughtSignature":"s"}"#);
        let without = rewritten(&part, &[REMOVE, Change::Keep]);
        assert_eq!(without.as_deref(), Some(r#"{"functionCall":{"name":"a","args":{}}}"#));
        let alone = rewritten(&part, &[Change::Keep, REMOVE]);
        assert_eq!(alone.as_deref(), Some(r#"{"text":"","thoughtSignature":"s"}"#));
        assert_eq!(rewritten(&part, &[REMOVE, REMOVE]), None);
        let thought = Node::of(r#"{"text":"t","thought":true,"thoughtSignature":"s"}"#);
        assert_eq!(rewritten(&thought, &[REMOVE]), None);
    }

    #[test]
    fn a_result_keeps_the_form_of_its_response() {
        let result = |text: &str, is_error| Part::result("call-1", text, is_error).body;
        let written = |json: &str, is_error| {
            let part = Node::of(json);
            let [old] = api::gemini_bodies(json).try_into().expect("a result");
            rewritten(&part, &[Change::Replace { old: &old, new: &result("new", is_error) }])
        };
        let one = written(r#"{"functionResponse":{"name":"a","response":{"result":"old"}}}"#, false);
        assert_eq!(one.as_deref(), Some(r#"{"functionResponse":{"name":"a","response":{"result":"new"}}}"#));
        let several = written(r#"{"functionResponse":{"name":"a","response":{"x":1,"y":2}}}"#, false);
        assert_eq!(several.as_deref(), Some(r#"{"functionResponse":{"name":"a","response":{"output":"new"}}}"#));
        let failed = written(r#"{"functionResponse":{"name":"a","response":{"error":"old","code":1}}}"#, true);
        assert_eq!(failed.as_deref(), Some(r#"{"functionResponse":{"name":"a","response":{"error":"new"}}}"#));
        let empty = written(r#"{"functionResponse":{"name":"a","response":{"error":"","x":1}}}"#, false);
        assert_eq!(empty.as_deref(), Some(r#"{"functionResponse":{"name":"a","response":{"output":"new"}}}"#));
    }
}
