//! Recognises a message that a client resends.

use std::sync::Arc;

use trimtab_base::conversation::{Body, Message, Part, Role};

/// Whether two messages are the same one, resent by a client. Thinking is not compared, since clients leave it out of earlier
/// turns; neither are usage, times and unknown keys.
pub(super) fn is_same(one: &Arc<Message>, other: &Arc<Message>) -> bool {
    Arc::ptr_eq(one, other)
        || one.role == other.role && one.origin == other.origin && has_same_parts(&one.parts, &other.parts)
}

/// The number of system messages with which a history begins.
pub(super) fn prompt_len<'m>(history: impl Iterator<Item = &'m Arc<Message>>) -> usize {
    history.take_while(|message| message.role == Role::System).count()
}

fn has_same_parts(one: &[Part], other: &[Part]) -> bool {
    let compared = |part: &&Part| !matches!(part.body, Body::Thinking { .. });
    let (mut one, mut other) = (one.iter().filter(compared), other.iter().filter(compared));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if is_same_body(&one.body, &other.body) => {}
            _ => return false,
        }
    }
}

fn is_same_body(one: &Body, other: &Body) -> bool {
    match (one, other) {
        (Body::ToolCall { id, name, arguments }, Body::ToolCall { id: id2, name: name2, arguments: arguments2 }) => {
            id == id2 && name == name2 && arguments.same(arguments2)
        }
        (Body::ToolResult(one), Body::ToolResult(other)) => {
            one.id == other.id
                && one.is_error == other.is_error
                && one.text == other.text
                && one.attachments == other.attachments
        }
        _ => one == other,
    }
}
