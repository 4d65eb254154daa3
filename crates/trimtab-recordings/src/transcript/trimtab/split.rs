//! One message per tool result.

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult};

use super::super::block;

/// Splits a message as [`split_results`] does. Only the first of the new messages keeps the harness edits.
pub(super) fn split(mut message: Message) -> Vec<Message> {
    let (resets, edits) = (std::mem::take(&mut message.resets), message.harness_edits.take());
    let mut messages = split_results(message);
    if let [first, rest @ ..] = messages.as_mut_slice() {
        first.resets = resets;
        first.harness_edits = edits;
        if first.run.is_some() {
            for message in rest {
                message.run = None;
            }
        }
    }
    messages
}

/// Returns one message per tool result, and one with the remaining parts: after the results, but before them in a
/// reply.
fn split_results(mut message: Message) -> Vec<Message> {
    let (results, mut rest): (Vec<_>, Vec<_>) =
        message.parts.drain(..).partition(|part| matches!(part.body, Body::ToolResult(_)));
    if message.role == Role::Tool && results.is_empty() {
        let (text, attachments) = block::join_texts(rest.drain(..).map(|part| part.body).collect());
        let result = ToolResult { id: SmolStr::default(), name: None, text, attachments, is_error: false };
        return vec![Message { parts: vec![Part::new(Body::ToolResult(Box::new(result)))], ..message }];
    }
    let mut messages: Vec<_> = results.into_iter().map(|part| result_message(&message, part)).collect();
    let role = if message.role == Role::Tool { Role::User } else { message.role };
    if messages.is_empty() || !rest.is_empty() {
        let at = if role == Role::Assistant { 0 } else { messages.len() };
        messages.insert(at, Message { role, parts: rest, ..message });
    }
    messages
}

fn result_message(message: &Message, part: Part) -> Message {
    if message.role == Role::Tool {
        return Message { parts: vec![part], ..message.clone() };
    }
    Message { at: message.at.clone(), kept: message.kept, ..Message::new(Role::Tool, vec![part]) }
}
