//! The check that a file is not read in a format that it does not have.

use trimtab_base::conversation::Role;

use super::record::Input;
use super::{Format, ReadError, Transcript, error};

/// What a reader has found in a file.
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

    /// Whether something is missing that `other` has.
    const fn lacks_some_of(self, other: Self) -> bool {
        self.replies < other.replies
            || self.calls < other.calls
            || self.results < other.results
            || self.with_usage < other.with_usage
    }
}

/// Compares what was read in the chosen format with the format that was detected. A format that does not recognise the file
/// must find as much; one that does must find tool calls if there are any.
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
    fn a_format_in_which_a_file_loses_its_calls_is_an_error() {
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
