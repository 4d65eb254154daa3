//! Output of `claude -p --output-format stream-json`: the records of a session as they happen.
//!
//! The first record declares model and tools, the last one sums up. The prompt is not recorded, unless it was given as a
//! stream too. The records of a sub-agent name the call that started it.

use serde::Deserialize;

use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{Fields, Raw, Str, TokenCount};
use super::{Format, ReadError, Reader, Transcript, claude_code, error, first_model, tool};

/// Output of `claude -p`.
pub(super) static CLAUDE_STREAM: Format = Format {
    name: "claude_stream",
    title: "Claude Code output",
    summary: "output of `claude -p --output-format stream-json`, JSON lines or a list; sub-agents become transcripts of their \
              own",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_record)
}

fn is_record(record: &ShallowValue<'_>) -> bool {
    match record.string("type").as_deref() {
        Some("system") => record.string("subtype").as_deref() == Some("init") && record.has("session_id"),
        Some("user" | "assistant") => record.has("message") && record.has("session_id") && !record.has("sessionId"),
        Some("result") => record.has("num_turns") && record.has("session_id"),
        _ => false,
    }
}

/// The fields of the first and the last record.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Summary<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    subtype: Str<'a>,
    model: Str<'a>,
    tools: Option<Raw<'a>>,
    #[serde(rename = "modelUsage")]
    model_usage: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ModelUsage {
    #[serde(rename = "contextWindow")]
    window: TokenCount,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let records = input.records(&mut skipped);
    let summaries: Vec<Summary<'_>> = records.iter().filter_map(|record| parse_summary(*record)).collect();
    let mut transcripts = claude_code::read_records(records, skipped, claude_code::adapt_stream)
        .ok_or_else(|| error::no_record("claude_stream", input))?;
    let tools = summaries.iter().find_map(|summary| summary.tools);
    for transcript in &mut transcripts {
        let model = summaries.iter().find_map(|summary| summary.model.non_empty());
        transcript.model = first_model(&transcript.messages).or(model);
        let name = transcript.model.as_deref().unwrap_or_default();
        transcript.window = summaries.iter().find_map(|summary| window(summary.model_usage?, name));
        if transcript.agent.is_none() {
            transcript.tools = tool::parse_tools(tools);
        }
    }
    Ok(transcripts)
}

fn parse_summary(record: Raw<'_>) -> Option<Summary<'_>> {
    let summary: Summary<'_> = record.object()?;
    let is_init = summary.kind.as_str() == "system" && summary.subtype.as_str() == "init";
    (is_init || summary.kind.as_str() == "result").then_some(summary)
}

/// The recorded context window of a model.
fn window(raw: Raw<'_>, model: &str) -> Option<u64> {
    let models: Fields<'_> = raw.object()?;
    Raw::object::<ModelUsage>(models.get(model)?)?.window.0.filter(|window| *window > 0)
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Usage;

    use crate::transcript::{self, ReadFile};

    fn read(lines: &[&str]) -> ReadFile {
        let file = transcript::read(lines.join("\n").as_bytes(), None).expect("reads");
        assert_eq!(file.format, "claude_stream");
        file
    }

    const INIT: &str =
        r#"{"type":"system","subtype":"init","session_id":"s","model":"claude-x","tools":["Bash","Task"]}"#;
    const CALL: &str = r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{"id":"m1","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"t1","name":"Task","input":{}}],"usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":5}}}"#;

    #[test]
    fn the_first_record_declares_model_and_tools_and_the_last_one_the_window() {
        let result = r#"{"type":"result","subtype":"success","session_id":"s","num_turns":2,"modelUsage":{"claude-x":{"contextWindow":200000}}}"#;
        let read = &read(&[INIT, CALL, result]).transcripts[0];
        let tools: Vec<_> = read.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((read.id.as_str(), read.model.as_deref(), read.window), ("s", Some("claude-x"), Some(200_000)));
        assert_eq!(tools, ["Bash", "Task"]);
        assert_eq!(
            read.messages[0].usage,
            Some(Usage { input: 3, cache_read: 4, cache_write: 0, output: 5, ..Usage::default() })
        );
        assert_eq!(serde_json::json!(read.skipped), serde_json::json!({"system:init": 1, "result:success": 1}));
    }

    #[test]
    fn the_records_of_a_sub_agent_are_a_transcript_of_their_own() {
        let agent =
            r#"{"type":"user","session_id":"s","parent_tool_use_id":"t1","message":{"role":"user","content":"find"}}"#;
        let file = read(&[INIT, CALL, agent]);
        let agents: Vec<_> = file.transcripts.iter().map(|read| (read.agent.as_deref(), read.messages.len())).collect();
        assert_eq!(agents, [(None, 1), (Some("t1"), 1)]);
    }

    #[test]
    fn a_compaction_resets_the_context() {
        let boundary = r#"{"type":"system","subtype":"compact_boundary","session_id":"s","compact_metadata":{"trigger":"auto","pre_tokens":90}}"#;
        let user = r#"{"type":"user","session_id":"s","message":{"role":"user","content":"go on"}}"#;
        let read = &read(&[INIT, CALL, boundary, user]).transcripts[0];
        let compaction = read.messages[1].compaction().expect("a compaction");
        assert_eq!((read.messages[1].resets, compaction.automatic, compaction.tokens), (true, true, Some(90)));
    }

    #[test]
    fn a_list_is_read_like_lines() {
        let list = format!("[{INIT},\n{CALL}]");
        assert_eq!(transcript::read(list.as_bytes(), None), Ok(read(&[INIT, CALL])));
    }
}
