//! Recordings of other tools, recognised so that a message can name the tool; they are not read.
//!
//! In: a first look at a file. Out: the format that it is most likely of. It reads no messages.

use super::sample::{Peek, Sample};

/// A format that is recognised and not read.
#[derive(Debug)]
pub(super) struct Foreign {
    /// What writes it, such as `Codex CLI`.
    pub(super) tool: &'static str,
    /// What a file of it is, such as `session`.
    what: &'static str,
    /// Whether readers of other formats would take its records for theirs.
    mistaken: bool,
    /// Any of these shows it.
    signs: &'static [Sign],
}

/// What shows that a file is of a format.
#[derive(Debug)]
enum Sign {
    /// The text begins with this.
    Text(&'static str),
    /// A record, or the document, has all of these keys.
    Keys(&'static [&'static str]),
    /// A record has one of these types and all of these keys.
    Type(&'static [&'static str], &'static [&'static str]),
    /// A message, or the first element of `history`, has the first keys and none of the second.
    Message(&'static [&'static str], &'static [&'static str]),
}

use Sign::{Keys, Message, Text, Type};

const fn session(tool: &'static str, signs: &'static [Sign]) -> Foreign {
    Foreign { tool, what: "session", mistaken: false, signs }
}

const fn log(tool: &'static str, signs: &'static [Sign]) -> Foreign {
    Foreign { tool, what: "log", mistaken: false, signs }
}

/// Every format, the most specific first.
static FOREIGN: &[Foreign] = &[
    session(
        "Codex CLI",
        &[Type(&["session_meta", "response_item", "event_msg", "turn_context", "compacted"], &["payload"])],
    ),
    session(
        "Copilot CLI",
        &[Type(&["session.start", "user.message", "assistant.message", "tool.execution_start"], &["data"])],
    ),
    Foreign {
        tool: "OpenClaw",
        what: "telemetry file",
        mistaken: true,
        signs: &[Type(
            &["message.in", "message.out", "agent.start", "agent.end", "tool.start", "tool.end"],
            &["seq", "ts"],
        )],
    },
    log("tau2", &[Keys(&["task_id", "termination_reason"])]),
    session("Gemini CLI", &[Keys(&["sessionId", "projectHash", "messages"])]),
    session("OpenCode", &[Keys(&["info", "messages"])]),
    session("Aider", &[Text("# aider chat started at")]),
    session("pi", &[Type(&["session"], &["cwd", "timestamp"])]),
    session("Claude Code on the web", &[Keys(&["loglines"])]),
    log("Inspect", &[Text("PK\u{3}\u{4}"), Keys(&["eval", "plan"]), Keys(&["eval", "samples"])]),
    log("Harbor (ATIF)", &[Keys(&["schema_version", "agent", "steps"])]),
    log(
        "OpenTelemetry",
        &[
            Keys(&["resourceSpans"]),
            Keys(&["spanContext", "attributes"]),
            Keys(&["traceId", "spanId"]),
            Keys(&["trace_id", "span_id"]),
        ],
    ),
    log(
        "OpenHands",
        &[
            Keys(&["source", "action", "args"]),
            Keys(&["source", "observation", "content"]),
            Keys(&["instance_id", "history", "metrics"]),
        ],
    ),
    log("SWE-agent", &[Keys(&["trajectory", "history"]), Keys(&["trajectory_format", "messages"])]),
    log("AgentDojo", &[Keys(&["suite_name", "user_task_id"])]),
    log("LangChain", &[Keys(&["lc", "kwargs"]), Keys(&["run_type", "inputs"])]),
    log(
        "the Vercel AI SDK",
        &[
            Type(&["start-step", "text-start", "text-delta", "reasoning-start", "tool-input-start"], &[]),
            Message(&["role", "parts", "id"], &["content", "sender"]),
        ],
    ),
    log(
        "the Gemini API",
        &[Keys(&["contents", "generationConfig"]), Message(&["role", "parts"], &["content", "id", "sender"])],
    ),
    log(
        "the OpenAI Responses API",
        &[
            Keys(&["input", "instructions"]),
            Keys(&["input", "output"]),
            Type(&["function_call", "function_call_output", "custom_tool_call"], &["call_id"]),
        ],
    ),
];

/// The format of a file that is recognised and not read.
pub(super) fn find(sample: &Sample<'_>) -> Option<&'static Foreign> {
    FOREIGN.iter().find(|foreign| foreign.signs.iter().any(|sign| sign.shows(sample)))
}

/// The same among the formats that readers would mistake for theirs.
pub(super) fn mistaken(sample: &Sample<'_>) -> Option<&'static Foreign> {
    FOREIGN.iter().find(|foreign| foreign.mistaken && foreign.signs.iter().any(|sign| sign.shows(sample)))
}

impl Foreign {
    /// What a file of it is, in words.
    pub(super) fn described(&self) -> String {
        format!("a {} of {}", self.what, self.tool)
    }
}

impl Sign {
    fn shows(&self, sample: &Sample<'_>) -> bool {
        let has = |record: &Peek<'_>, keys: &[&str]| keys.iter().all(|key| record.has(key));
        match self {
            Self::Text(start) => sample.text().starts_with(start),
            Self::Keys(keys) => sample.records().iter().any(|record| has(record, keys)),
            Self::Type(types, keys) => sample.records().iter().any(|record| {
                record.word("type").is_some_and(|kind| types.contains(&kind.as_ref())) && has(record, keys)
            }),
            Self::Message(keys, without) => sample
                .messages()
                .iter()
                .any(|message| has(message, keys) && !without.iter().any(|key| message.has(key))),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript;

    fn message(text: &str) -> String {
        transcript::read(text.as_bytes(), None).map_or_else(|error| error.message, |read| read.format.to_owned())
    }

    #[test]
    fn a_message_names_the_tool_that_writes_a_format() {
        let cases = [
            (r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}"#, "Codex CLI"),
            (r#"{"type":"session.start","data":{"sessionId":"x"},"id":"y"}"#, "Copilot CLI"),
            (r#"{"type":"message.in","content":"x","seq":1,"ts":2}"#, "OpenClaw"),
            (r#"{"sessionId":"x","projectHash":"y","startTime":"t","messages":[]}"#, "Gemini CLI"),
            (r#"{"info":{"id":"ses_1"},"messages":[]}"#, "OpenCode"),
            ("# aider chat started at 2024-08-22 08:18:06\n\n> Aider v0.51\n", "Aider"),
            (r#"{"type":"session","id":"x","timestamp":"t","cwd":"/"}"#, "pi"),
            (r#"{"loglines":[]}"#, "Claude Code on the web"),
            ("PK\u{3}\u{4}rest", "Inspect"),
            (r#"{"version":2,"status":"success","eval":{},"plan":{}}"#, "Inspect"),
            (r#"{"schema_version":"ATIF-v1.7","agent":{},"steps":[]}"#, "Harbor (ATIF)"),
            (r#"{"resourceSpans":[]}"#, "OpenTelemetry"),
            (r#"[{"id":0,"source":"user","action":"message","args":{}}]"#, "OpenHands"),
            (r#"{"id":"x","task_id":"y","termination_reason":"z","info":{},"messages":[]}"#, "tau2"),
            (r#"{"lc":1,"type":"constructor","id":[],"kwargs":{}}"#, "LangChain"),
            (r#"[{"id":"m","role":"user","parts":[{"type":"text","text":"x"}]}]"#, "the Vercel AI SDK"),
            (r#"[{"role":"user","parts":[{"text":"x"}]}]"#, "the Gemini API"),
            (r#"{"model":"gpt-4o","instructions":"","input":[]}"#, "the OpenAI Responses API"),
        ];
        for (text, tool) in cases {
            let said = message(text);
            assert!(said.contains(&format!("of {tool}, ")), "{tool}: {said}");
            assert!(!said.contains("--input-format"), "{said}");
        }
    }

    #[test]
    fn records_that_readers_would_mistake_for_theirs_are_not_read_as_such() {
        let telemetry = concat!(
            r#"{"type":"agent.start","seq":1,"ts":1,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}"#,
            "\n",
            r#"{"type":"agent.end","seq":2,"ts":2,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}"#,
        );
        assert!(message(telemetry).contains("of OpenClaw, "));
    }

    #[test]
    fn a_named_format_that_fits_no_record_is_an_error() {
        let codex =
            "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}\n{\"type\":\"event_msg\",\"payload\":{}}\n";
        for format in transcript::FORMATS {
            let said = transcript::read(codex.as_bytes(), Some(format.name)).expect_err("not of this format").message;
            assert!(said.contains(format.name) && said.contains("Codex CLI"), "{said}");
        }
        let snapshot = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
        assert!(transcript::read(snapshot.as_bytes(), Some("claude_code")).is_ok());
    }

    #[test]
    fn what_can_be_read_is_read() {
        assert_eq!(
            message(r#"{"messages":[{"role":"user","content":"x"}],"trajectory_format":"mini"}"#),
            "openai_chat"
        );
    }
}
