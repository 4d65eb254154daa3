//! Infers from the text of tool results whether they are errors, for formats that do not mark errors.

use std::sync::Arc;

use memchr::memmem;
use trimtab_base::conversation::{Body, Message};

use super::{Quirk, Transcript, find};

/// The beginnings of the text of a failed call.
const BEGINNINGS: [&str; 2] = ["Error", "Traceback"];

/// Phrases in the text of a failed call.
const PHRASES: [&str; 2] = ["command not found", "<tool_use_error>"];

/// Phrases in the text of a failed call before the first digit of an exit code other than 0.
const BEFORE_CODE: [&str; 3] = ["Exit code ", "exited with code ", "<returncode>"];

/// Marks tool results as errors if they look like the result of a failed call and the format of the recording does not
/// mark errors itself. Some of these results are no errors.
pub fn infer_errors(transcript: &mut Transcript) {
    if find(transcript.format).is_none_or(|format| !format.has(Quirk::UnmarkedErrors)) {
        return;
    }
    let is_failed = |message: &Message| message.results().any(|result| !result.is_error && looks_failed(&result.text));
    for message in transcript.messages.iter_mut().filter(|message| is_failed(message)) {
        let message = Arc::make_mut(message);
        message.inferred_error = true;
        for part in &mut message.parts {
            if let Body::ToolResult(result) = &mut part.body {
                result.is_error = true;
            }
        }
    }
}

/// Whether a text looks like the result of a failed call.
fn looks_failed(text: &str) -> bool {
    let contains = |phrase: &&str| memmem::find(text.as_bytes(), phrase.as_bytes()).is_some();
    let has_code = |phrase: &&str| {
        let mut found = memmem::find_iter(text.as_bytes(), phrase.as_bytes());
        found.any(|at| matches!(text.as_bytes().get(at + phrase.len()), Some(b'1'..=b'9')))
    };
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || PHRASES.iter().any(contains)
        || BEFORE_CODE.iter().any(has_code)
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::{Part, Role};

    use super::*;
    use crate::transcript::FORMATS;

    fn errors(format: &'static str, text: &str) -> (bool, bool) {
        let message = Message::new(Role::Tool, vec![Part::result("1", text, false)]);
        let mut transcript = Transcript { format, messages: vec![Arc::new(message)], ..Transcript::default() };
        infer_errors(&mut transcript);
        let message = &transcript.messages[0];
        (message.results().any(|result| result.is_error), message.inferred_error)
    }

    #[test]
    fn texts_of_failed_calls_are_errors() {
        for text in [
            "Error: no such file",
            "Traceback (most recent call last):",
            "Exit code 2\nmake: ***",
            "Process exited with code 127",
            "Exit code 0\n<returncode>1</returncode>",
            "sh: rg: command not found",
            "<tool_use_error>String to replace not found</tool_use_error>",
        ] {
            assert_eq!(errors("openai_chat", text), (true, true), "{text}");
        }
    }

    #[test]
    fn what_a_call_reads_about_errors_is_no_error() {
        for text in [
            "src/lib.rs:4: // Error handling",
            "an error occurred",
            "ErrorKind",
            "exited with code 0",
            "<returncode>0</returncode>",
            "Exit code ",
            "",
        ] {
            assert_eq!(errors("openai_chat", text).0, text.starts_with("Error"), "{text}");
        }
    }

    #[test]
    fn formats_that_mark_errors_are_left_alone() {
        for format in FORMATS {
            let expected = format.has(Quirk::UnmarkedErrors);
            assert_eq!(errors(format.name, "Error: no such file"), (expected, expected), "{}", format.name);
        }
    }
}
