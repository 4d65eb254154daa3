//! The formats that are recognised but not supported, so that an error can name the tool that wrote a file.
//!
//! [`find`] matches the beginning of a file against the keys of these formats. Nothing reads their messages.

use super::sample::Sample;

/// A format that is recognised but not supported.
#[derive(Debug)]
pub struct UnsupportedFormat {
    /// The tool that writes it, such as `shelly`.
    pub tool: &'static str,
    /// The plural noun for its files, such as `logs`.
    files: &'static str,
    /// A file has this format when a record, or the document, has all of these keys.
    keys: &'static [&'static str],
}

/// Every recognised but unsupported format, in detection order: the most specific first.
pub static UNSUPPORTED_FORMATS: &[UnsupportedFormat] =
    &[UnsupportedFormat { tool: "shelly", files: "sessions", keys: &["agent", "provider", "msg_count"] }];

/// Returns the unsupported format that a file has.
pub(super) fn find(sample: &Sample<'_>) -> Option<&'static UnsupportedFormat> {
    UNSUPPORTED_FORMATS.iter().find(|format| format.matches(sample))
}

impl UnsupportedFormat {
    /// The name that people know it by, such as `shelly sessions`.
    pub fn title(&self) -> String {
        format!("{} {}", self.tool, self.files)
    }

    fn matches(&self, sample: &Sample<'_>) -> bool {
        sample.records().iter().any(|record| self.keys.iter().all(|key| record.has(key)))
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript;

    /// The error message, or the name of the format that the text is read as.
    fn outcome(text: &str) -> String {
        transcript::read(text.as_bytes(), None).map_or_else(|error| error.message, |file| file.format.to_owned())
    }

    #[test]
    fn the_error_names_the_tool_that_wrote_the_file() {
        let message = outcome(r#"{"id":"s","agent":"a","provider":{"kind":"k"},"msg_count":0}"#);
        assert!(message.starts_with("shelly sessions are not supported; supported formats: "), "{message}");
        assert!(!message.contains("--input-format"), "{message}");
    }

    #[test]
    fn a_requested_format_without_any_record_is_an_error() {
        let codex =
            "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}\n{\"type\":\"event_msg\",\"payload\":{}}\n";
        for format in transcript::FORMATS.iter().filter(|format| format.name != "codex") {
            let error = transcript::read(codex.as_bytes(), Some(format.name)).expect_err("not of this format");
            assert!(error.message.contains(format.name) && error.message.contains("Codex CLI"), "{error}");
        }
        let snapshot = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
        assert!(transcript::read(snapshot.as_bytes(), Some("claude_code")).is_ok());
    }

    #[test]
    fn a_file_that_a_supported_format_recognises_too_is_read() {
        assert_eq!(
            outcome(r#"{"messages":[{"role":"user","content":"x"}],"trajectory_format":"mini"}"#),
            "openai_chat"
        );
    }
}
