//! The check that a file has the format that was chosen for it.

use trimtab_base::conversation::Role;

use super::record::Input;
use super::{Format, ReadError, Transcript, error};

/// The amounts of content that a reader has found in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    replies: usize,
    calls: usize,
    results: usize,
    with_usage: usize,
}

impl Found {
    fn of(transcripts: &[Transcript]) -> Self {
        let messages = || transcripts.iter().flat_map(|transcript| &transcript.messages);
        Self {
            replies: messages().filter(|message| message.role == Role::Assistant).count(),
            calls: messages().map(|message| message.calls().count()).sum(),
            results: messages().map(|message| message.results().count()).sum(),
            with_usage: messages().filter(|message| message.usage.is_some()).count(),
        }
    }

    /// Whether `other` has more of something.
    const fn lacks_some_of(self, other: Self) -> bool {
        self.replies < other.replies
            || self.calls < other.calls
            || self.results < other.results
            || self.with_usage < other.with_usage
    }
}

/// Compares what the chosen format and the detected format find. If the chosen format does not recognise the file, it
/// must find as much as the detected one; if it does, it must find tool calls where the detected one finds some.
pub(super) fn check(
    transcripts: &[Transcript],
    (chosen, is_sniffed): (&Format, bool),
    detected: &Format,
    input: &Input<'_>,
) -> Result<(), ReadError> {
    let Ok(other) = detected.read_without_detection(input).map(|transcripts| Found::of(&transcripts)) else {
        return Ok(());
    };
    let found = Found::of(transcripts);
    if !is_sniffed && found.lacks_some_of(other) {
        return Err(error::no_record(chosen.name, input));
    }
    if found.calls == 0 && other.calls > 0 {
        return Err(error::no_calls(chosen, detected));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript;

    const OWN: &str = concat!(
        r#"{"trimtab":1}"#,
        "\n",
        r#"{"role":"user","content":"go"}"#,
        "\n",
        r#"{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"ls","arguments":{}}],"usage":{"input":9,"output":1}}"#,
        "\n",
        r#"{"role":"tool","content":[{"type":"tool_result","id":"1","content":"x"}]}"#,
        "\n",
    );

    #[test]
    fn a_chosen_format_that_finds_no_calls_is_an_error() {
        for format in transcript::FORMATS.iter().filter(|format| format.name != "trimtab") {
            let error = transcript::read(OWN.as_bytes(), Some(format.name)).expect_err(format.name).message;
            assert!(error.contains("`trimtab` (Trimtab JSONL)"), "{}: {error}", format.name);
        }
        let error = transcript::read(OWN.as_bytes(), Some("openai_chat")).expect_err("no calls").message;
        assert_eq!(error, "found no tool calls as `openai_chat`; the file looks like `trimtab` (Trimtab JSONL)");
    }

    #[test]
    fn a_chat_without_calls_can_be_read_in_every_format_of_messages() {
        let chat = r#"[{"role":"user","content":"go"},{"role":"assistant","content":"no"}]"#;
        for format in ["openai_chat", "anthropic_messages"] {
            assert!(transcript::read(chat.as_bytes(), Some(format)).is_ok(), "{format}");
        }
    }
}
