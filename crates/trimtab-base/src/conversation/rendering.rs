//! Renders a conversation as plain text for a summariser.

use smol_str::SmolStr;

use super::message::{Body, Message, Role};
use super::{Arguments, Entry};
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
    let mut line = |pieces: &[&str]| out.extend(pieces.iter().copied());
    for part in &message.parts {
        match &part.body {
            Body::Text(text) => line(&["[", role, "] ", text, "\n"]),
            Body::ToolCall { name, arguments, .. } => {
                let text = arguments.text();
                let (arguments, ellipsis) = beginning(&text, ARGUMENTS);
                line(&["[", role, "] Called tool ", name, "(", arguments, ellipsis, ")\n"]);
            }
            Body::ToolResult(result) => {
                let (text, ellipsis) = beginning(&result.text, RESULT);
                line(&["[tool ", if result.is_error { "error" } else { "result" }, "] ", text, ellipsis, "\n"]);
            }
            Body::Thinking { .. } | Body::Image { .. } | Body::Other(_) => {}
        }
    }
}

/// A whole result as text, after the beginning of the call that it answers.
pub fn render_result(call: Option<(&SmolStr, &Arguments)>, message: &Message) -> String {
    let call = call.map(|(tool, arguments)| {
        let text = arguments.text();
        let (arguments, ellipsis) = beginning(&text, ARGUMENTS);
        format!("[assistant] Called tool {tool}({arguments}{ellipsis})\n")
    });
    let result = message.results().next().map(|result| {
        let kind = if result.is_error { "error" } else { "result" };
        format!("[tool {kind}] {}\n", result.text)
    });
    [call, result].into_iter().flatten().collect()
}

/// The first characters of a text, followed by `…` if there are more.
pub fn shorten(text: &str, chars: usize) -> String {
    let (beginning, ellipsis) = beginning(text, chars);
    [beginning, ellipsis].concat()
}

/// The first characters of a text, and `…` if there are more.
fn beginning(text: &str, chars: usize) -> (&str, &'static str) {
    // A text has at least as many bytes as characters.
    let end = if text.len() > chars { text.char_indices().nth(chars) } else { None };
    end.map_or((text, ""), |(end, _)| (up_to(text, end), "…"))
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
