//! Renders a conversation as plain text for a summariser.

use super::Entry;
use super::message::{Body, Message, Role};
use crate::source::up_to;

/// The maximum length of a call's arguments in characters, as in the original system.
const ARGUMENTS: usize = 200;
/// The maximum length of a result in characters, as in the original system.
const RESULT: usize = 500;

/// Renders one line per part: `[role] text`, `[assistant] Called tool NAME(ARGUMENTS)`, `[tool result] TEXT`, `[tool error] TEXT`.
/// System messages, thinking and images are left out.
pub fn render<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> String {
    let mut out = String::new();
    for entry in entries {
        if entry.role() != Role::System {
            message(entry.message(), &mut out);
        }
    }
    out
}

fn message(message: &Message, out: &mut String) {
    let role = message.role.word();
    for part in &message.parts {
        match &part.body {
            Body::Text(text) => *out += &format!("[{role}] {text}\n"),
            Body::ToolCall { name, arguments, .. } => {
                *out += &format!("[{role}] Called tool {name}({})\n", shorten(&arguments.text(), ARGUMENTS));
            }
            Body::ToolResult(result) => {
                let kind = if result.is_error { "error" } else { "result" };
                *out += &format!("[tool {kind}] {}\n", shorten(&result.text, RESULT));
            }
            Body::Thinking { .. } | Body::Image { .. } | Body::Other(_) => {}
        }
    }
}

/// The first characters of a text, followed by `…` if there are more.
pub fn shorten(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", up_to(text, end)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_within_the_limit_is_not_shortened() {
        assert_eq!(shorten("abc", 10), "abc");
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abcdef", 2), "ab…");
        assert_eq!(shorten("かきくけこ", 3), "かきく…");
        assert_eq!(shorten("かきくけこ", 5), "かきくけこ");
    }
}
