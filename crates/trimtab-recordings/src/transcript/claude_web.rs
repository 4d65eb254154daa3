//! Sessions of Claude Code on the web: the records of a session in a list, `loglines`.

use serde::Deserialize;

use super::record::{Input, Skipped};
use super::sample::Sample;
use super::wire::{List, Raw, Str};
use super::{Format, ReadError, Reader, Transcript, claude_code, error};

/// Exported sessions of Claude Code on the web.
pub(super) static CLAUDE_WEB: Format = Format {
    name: "claude_web",
    title: "Claude Code on the web",
    summary: "exported sessions of Claude Code on the web: an object with `loglines`",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(|record| record.has("loglines"))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Export<'a> {
    #[serde(borrow)]
    loglines: List<'a>,
    id: Str<'a>,
    session_id: Str<'a>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let none = || error::no_record("claude_web", input);
    let session: Export<'_> = input.document().and_then(Raw::parse).ok_or_else(none)?;
    let lines = session.loglines.0.ok_or_else(none)?;
    let mut skipped = Skipped::default();
    let records = lines.into_iter().filter(|record| skipped.accepts(record)).collect();
    let mut transcripts =
        claude_code::read_records(records, skipped, |_| {}).unwrap_or_else(|| vec![Transcript::default()]);
    if let Some(first) = transcripts.first_mut().filter(|first| first.id.is_empty()) {
        let id = session.id.get().or(session.session_id.get());
        id.unwrap_or_default().clone_into(&mut first.id);
    }
    Ok(transcripts)
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Role;

    use crate::transcript;

    #[test]
    fn the_records_of_the_session_are_read_like_those_of_a_file() {
        let text = r#"{"id":"s","loglines":[{"type":"user","message":{"role":"user","content":"hi"}},
            {"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]}},
            {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x","is_error":true}]}},
            {"type":"progress"}, 7]}"#;
        let file = transcript::read(text.as_bytes(), None).expect("reads");
        let read = &file.transcripts[0];
        let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
        assert_eq!((file.format, read.id.as_str()), ("claude_web", "s"));
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
        assert_eq!(serde_json::json!(read.skipped), serde_json::json!({"progress": 1, "non-object record": 1}));
    }

    #[test]
    fn a_session_without_records_has_no_messages() {
        let file = transcript::read(br#"{"loglines":[]}"#, None).expect("reads");
        assert!(file.transcripts[0].messages.is_empty());
    }
}
