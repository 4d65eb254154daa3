use proptest::prelude::*;

use super::{FORMATS, ReadError, Transcript, find, read, write};

fn error(text: &str) -> ReadError {
    read(text.as_bytes(), None).expect_err("not a recording")
}

#[test]
fn every_format_is_found_by_its_name() {
    for format in FORMATS {
        assert_eq!(find(format.name).map(|found| found.name), Some(format.name));
    }
    assert!(find("nothing").is_none());
}

#[test]
fn an_empty_file_is_an_error() {
    for text in ["", "\n \r\n", "\u{feff}"] {
        assert_eq!(error(text).message, "the file is empty; a recording contains at least one message");
    }
}

#[test]
fn an_unrecognised_file_is_described_with_the_supported_formats() {
    let message = |text: &str| error(text).message;
    let formats = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect::<Vec<_>>().join(", ");
    let expected =
        "unrecognised recording format: the file contains a JSON object with the keys `a`, `b`; supported formats: ";
    assert_eq!(message(r#"{"a":1,"b":2}"#), format!("{expected}{formats}"));
    let many = message(r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}"#);
    assert!(many.contains("the keys `a`, `b`, `c`, `d`, `e`, `f` and 2 more;"), "{many}");
    assert!(
        message("Dear diary").starts_with("unrecognised recording format: the file contains text that is not JSON;")
    );
    assert!(message("[]").starts_with("unrecognised recording format: the file contains an empty JSON array;"));
    assert!(
        message("PK\u{3}\u{4}").starts_with("unrecognised recording format: the file contains a damaged ZIP archive;")
    );
}

#[test]
fn invalid_json_is_reported_with_its_position() {
    let truncated = error("[\n{\"role\":\"user\",\n");
    let expected = "unexpected end of JSON; the file seems to be truncated";
    assert_eq!((truncated.line, truncated.message.as_str()), (Some(2), expected));
    let invalid = error("{\n\"messages\": [x]\n}");
    assert_eq!((invalid.line, invalid.message.as_str()), (Some(2), "invalid JSON: expected value (column 14)"));
    assert_eq!(invalid.to_string(), "line 2: invalid JSON: expected value (column 14)");
}

#[test]
fn numbers_that_are_not_finite_are_read_as_null() {
    let text = r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":"f","arguments":{"x":NaN}}]}]}"#;
    let file = read(text.as_bytes(), None).expect("reads");
    let arguments: Vec<_> = file.transcripts[0].messages[0].calls().map(|(.., arguments)| arguments.text()).collect();
    assert_eq!(arguments, [r#"{"x":null}"#]);
}

#[test]
fn a_requested_format_overrides_detection() {
    let text = r#"[{"role":"user","content":"hi"}]"#;
    let file = read(text.as_bytes(), Some("anthropic_messages")).expect("reads");
    assert_eq!((file.format, file.sniffed), ("anthropic_messages", vec!["openai_chat"]));
    let message = |text: &str, format: &str| read(text.as_bytes(), Some(format)).expect_err("an error").message;
    let unknown = message(text, "chat");
    assert!(unknown.starts_with("unknown recording format `chat`; supported formats: `trimtab`, "), "{unknown}");
    let object = "found no `openai_chat` records; the file contains a JSON object with the key `a`";
    assert_eq!(message("{\"a\":1}", "openai_chat"), object);
    let prose = "found no `claude_code` records; the file contains text that is not JSON";
    assert_eq!(message("Dear diary", "claude_code"), prose);
    let codex = r#"{"type":"session_meta","payload":{}}"#;
    assert_eq!(
        message(codex, "trimtab"),
        "found no `trimtab` records; the file looks like `codex` (Codex CLI sessions)"
    );
}

#[test]
fn endless_nesting_is_an_error() {
    assert!(read("[".repeat(200_000).as_bytes(), None).is_err());
    assert!(read("{\"a\":".repeat(200_000).as_bytes(), None).is_err());
}

/// Recordings of each format with a placeholder `@` for a value, and the number of messages without its record.
const TEMPLATES: &[(&str, usize, &str)] = &[
    ("trimtab", 1, r#"{"trimtab":1}~{"role":"user","content":"a"}~{"role":"tool","content":@}"#),
    ("trimtab", 1, r#"{"trimtab":1}~{"role":"user","content":"a"}~{"role":"assistant","content":"b","extra":@}"#),
    (
        "trimtab",
        1,
        r#"{"trimtab":1}~{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"f","arguments":@}]}~{"role":"user","content":"a"}"#,
    ),
    (
        "claude_code",
        1,
        r#"{"type":"user","uuid":"u","message":{"role":"user","content":"a"}}~{"type":"user","uuid":"v","parentUuid":"u","message":{"role":"user","content":@}}"#,
    ),
    ("anthropic_messages", 1, r#"{"system":"s","messages":[{"role":"assistant","content":@}]}"#),
    ("anthropic_messages", 1, r#"{"system":@,"messages":[{"role":"user","content":"a"}]}"#),
    ("anthropic_messages", 2, r#"{"system":"s","messages":[{"role":"user","content":"a"}],"response":@}"#),
    ("openai_chat", 1, r#"[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"c","content":@}]"#),
    ("openai_chat", 1, r#"{"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f","parameters":@}]}"#),
    (
        "openai_chat",
        1,
        r#"{"role":"user","content":"a"}~{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":@}}]}"#,
    ),
    ("openai_responses", 1, r#"{"instructions":@,"input":[{"role":"user","content":"a"}]}"#),
    ("openai_responses", 1, r#"{"object":"response","input":"a","output":[{"type":"mcp_call","output":@}]}"#),
    (
        "opencode",
        1,
        r#"{"info":{},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"a"}]},{"info":{"role":"assistant"},"parts":@}]}"#,
    ),
    (
        "tau2",
        1,
        r#"{"task_id":"t","termination_reason":"x","messages":[{"role":"user","content":"a"},{"role":"tool","id":"c","content":@}]}"#,
    ),
    (
        "atif",
        1,
        r#"{"schema_version":"ATIF-v1.7","agent":{},"steps":[{"source":"user","message":"a"},{"source":"agent","message":@}]}"#,
    ),
    ("swe_agent", 1, r#"{"trajectory":[],"history":[{"role":"user","content":"a"},{"role":"assistant","content":@}]}"#),
    (
        "mini_swe_agent",
        1,
        r#"{"trajectory_format":"mini-swe-agent-1","messages":[{"role":"user","content":"a"},{"role":"user","content":@}]}"#,
    ),
    (
        "openhands",
        1,
        r#"[{"source":"user","action":"message","args":{"content":"a"}},{"source":"agent","action":"run","args":@}]"#,
    ),
    (
        "pi",
        1,
        r#"{"type":"session","timestamp":"t","cwd":"/"}~{"type":"message","message":{"role":"user","content":"a"}}~{"type":"message","message":{"role":"user","content":@}}"#,
    ),
];

#[test]
fn a_deeply_nested_record_is_skipped_and_the_others_are_read() {
    let kinds = [
        ("[", "]"),
        ("{\"a\":", "}"),
        ("[{\"type\":\"tool_result\",\"content\":", "}]"),
        ("{\"role\":\"assistant\",\"content\":", "}"),
    ];
    for &(format, messages, template) in TEMPLATES {
        for (open, close) in kinds {
            let nested = format!("{}0{}", open.repeat(50_000), close.repeat(50_000));
            let text = template.replace('~', "\n").replace('@', &nested);
            let file = read(text.as_bytes(), Some(format)).expect(template);
            let transcript = &file.transcripts[0];
            assert_eq!(transcript.skipped.get("nested deeper than 128 levels"), Some(&1), "{template} {open}");
            assert_eq!(transcript.messages.len(), messages, "{template} {open}");
        }
    }
}

/// A small recording of each format.
const SEEDS: &[&str] = &[
    "{\"trimtab\":1,\"id\":\"a\"}\n{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}}]}\n\
     {\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"id\":\"c\",\"content\":\"x\"}]}\n",
    "{\"info\":{\"id\":\"s\"},\"messages\":[{\"info\":{\"role\":\"assistant\",\"summary\":true},\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]},\
     {\"info\":{\"role\":\"assistant\"},\"parts\":[{\"type\":\"tool\",\"callID\":\"c\",\"state\":{\"status\":\"error\",\"time\":{\"compacted\":1}}}]}]}",
    "# aider chat started at 2026-03-01 10:00:00\n#### a\nb\n> Tokens: 1.5k sent, 7 received.\nCost: $1\n> c\nd\n",
    "{\"source\":\"agent\",\"action\":\"run\",\"args\":{},\"id\":1}\n{\"source\":\"agent\",\"observation\":\"run\",\"content\":\"x\",\"cause\":1,\"id\":2}\n\
     {\"kind\":\"Condensation\",\"source\":\"agent\",\"forgotten_event_ids\":[\"2\"]}\n",
    "{\"type\":\"session\",\"cwd\":\"/\",\"timestamp\":\"t\"}\n{\"type\":\"message\",\"id\":\"a\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"id\":\"c\"}]}}\n\
     {\"type\":\"compaction\",\"id\":\"b\",\"parentId\":\"a\",\"summary\":\"x\"}\n",
    "{\"task_id\":\"t\",\"termination_reason\":\"x\",\"messages\":[{\"role\":\"user\",\"tool_calls\":[{}]},{\"role\":\"tool\",\"tool_messages\":[{\"role\":\"tool\",\"id\":\"c\"}]}]}",
    "{\"schema_version\":\"ATIF-v1.7\",\"agent\":{},\"steps\":[{\"source\":\"agent\",\"tool_calls\":[{}],\"observation\":{\"results\":[{}]}}],\"subagent_trajectories\":[{}]}",
    "{\"trajectory_format\":\"mini-swe-agent-1\",\"messages\":[{\"role\":\"assistant\",\"content\":\"```bash\\nls\\n```\"},{\"role\":\"user\",\"content\":\"x\"}]}",
    "{\"trajectory\":[{\"action\":\"ls\"}],\"history\":[{\"role\":\"assistant\",\"content\":\"x\",\"action\":\"ls\"},{\"role\":\"user\",\"content\":\"y\"}]}",
    "{\"type\":\"user\",\"uuid\":\"u\",\"parentUuid\":null,\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n\
     {\"type\":\"assistant\",\"uuid\":\"a\",\"parentUuid\":\"u\",\"isSidechain\":true,\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}\n\
     {\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"b\",\"logicalParentUuid\":\"a\"}\n",
    "{\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"data\":\"QUJD\"}},{\"type\":\"tool_result\"}]}]}",
    "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}]",
    "{\"messages\":[{\"role\":\"user\",\"content\":\"a \\ud83d\\ude00 b\"}],\"usage\":{\"prompt_tokens\":3}}\n\
     [{\"role\":\"tool\",\"content\":\"x\"}]\n",
    "{\"object\":\"response\",\"id\":\"r\",\"input\":\"a\",\"output\":[{\"type\":\"compaction\"},{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\"}]}\n\
     {\"previous_response_id\":\"r\",\"input\":[{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"x\"}]}\n",
    "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}}\n\
     {\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":{\"last_token_usage\":{\"input_tokens\":3}}}}\n",
    "{\"sessionId\":\"s\",\"projectHash\":\"h\"}\n{\"id\":\"g\",\"type\":\"gemini\",\"toolCalls\":[{\"id\":\"c\",\"name\":\"f\",\"status\":\"success\",\"result\":[{\"text\":\"x\"}]}]}\n\
     {\"$set\":{\"messages\":[{\"id\":\"u\",\"type\":\"user\",\"content\":\"x\"}]}}\n{\"$rewindTo\":\"g\"}\n",
    "[{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{}}}]},{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"f\",\"response\":{\"error\":\"x\"}}}]}]",
    "{\"type\":\"assistant.message\",\"data\":{\"toolRequests\":[{\"toolCallId\":\"c\",\"name\":\"f\",\"arguments\":{}}]}}\n\
     {\"type\":\"assistant.message\",\"data\":{\"content\":\"x\",\"parentToolCallId\":\"c\"}}\n{\"type\":\"tool.execution_complete\",\"data\":{\"toolCallId\":\"c\",\"success\":false}}\n",
];

#[test]
fn each_seed_is_detected_as_its_format() {
    let formats: Vec<_> = SEEDS.iter().map(|seed| read(seed.as_bytes(), None).expect("reads").format).collect();
    assert_eq!(
        formats,
        [
            "trimtab",
            "opencode",
            "aider",
            "openhands",
            "pi",
            "tau2",
            "atif",
            "mini_swe_agent",
            "swe_agent",
            "claude_code",
            "anthropic_messages",
            "openai_chat",
            "openai_chat",
            "openai_responses",
            "codex",
            "gemini_chat",
            "gemini_contents",
            "copilot"
        ]
    );
}

/// Reads bytes with detection and as every format, then checks that the transcripts can be written and read back.
fn check_reading(bytes: &[u8]) -> Result<(), TestCaseError> {
    let names = FORMATS.iter().map(|format| Some(format.name)).chain([None]);
    for file in names.filter_map(|name| read(bytes, name).ok()) {
        prop_assert!(!file.transcripts.is_empty());
        for transcript in &file.transcripts {
            let again = read(write(transcript).as_bytes(), Some("trimtab"));
            let count = |transcripts: &[Transcript]| {
                transcripts.iter().map(|transcript| transcript.messages.len()).sum::<usize>()
            };
            prop_assert_eq!(again.map(|again| count(&again.transcripts)), Ok(transcript.messages.len()));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check_reading(&bytes)?;
    }

    #[test]
    fn a_corrupt_recording_is_read_or_rejected(
        seed in proptest::sample::select(SEEDS),
        cut in any::<prop::sample::Index>(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut bytes = seed.as_bytes().to_vec();
        for (at, from, byte) in edits {
            let at = at.index(bytes.len());
            match byte % 4 {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, bytes[from.index(bytes.len())]),
                _ => bytes[at] = b"\"{}[],:\\\n0tn"[usize::from(byte) % 12],
            }
        }
        check_reading(&bytes)?;
        check_reading(&bytes[..cut.index(bytes.len())])?;
    }
}
