use proptest::prelude::*;

use super::{FORMATS, ReadError, Transcript, find, read, write};

fn error(text: &str) -> ReadError {
    read(text.as_bytes(), None).expect_err("is no recording")
}

#[test]
fn every_format_is_found_by_its_name() {
    for format in FORMATS {
        assert_eq!(find(format.name).map(|found| found.name), Some(format.name));
    }
    assert!(find("nothing").is_none());
}

#[test]
fn an_empty_file_says_so() {
    for text in ["", "\n \r\n", "\u{feff}"] {
        assert_eq!(error(text).message, "the file is empty: a recording has at least one message");
    }
}

#[test]
fn a_file_of_no_format_says_what_it_looks_like_and_what_is_known() {
    let message = error(r#"{"a":1,"b":2}"#).message;
    assert!(message.starts_with("this looks like a JSON object with `a`, `b`, which"), "{message}");
    assert!(message.contains("`openai_chat`") && !message.contains("--input-format"), "{message}");
    assert!(error("Dear diary").message.starts_with("this looks like text that is not JSON"));
    assert!(error("PK\u{3}\u{4}").message.starts_with("this is a log of Inspect, which is not read"));
    assert!(error("[]").message.starts_with("this looks like an empty JSON array"));
}

#[test]
fn json_that_is_broken_says_where() {
    let cut = error("[\n{\"role\":\"user\",\n");
    assert_eq!((cut.line, cut.message.as_str()), (Some(2), "the JSON ends too early: the file seems to be cut off"));
    let broken = error("{\n\"messages\": [x]\n}");
    assert_eq!((broken.line, broken.message.as_str()), (Some(2), "this is not JSON: expected value (column 14)"));
    assert_eq!(broken.to_string(), "line 2: this is not JSON: expected value (column 14)");
}

#[test]
fn a_number_that_json_lacks_is_named() {
    for word in ["NaN", "Infinity", "-Infinity"] {
        let error = error(&format!("{{\n\"messages\": [{{\"role\": \"user\", \"score\": {word}}}]\n}}"));
        assert_eq!(error.line, Some(2), "{word}");
        assert!(error.message.starts_with(&format!("`{word}` is not JSON")), "{}", error.message);
    }
}

#[test]
fn a_format_can_be_named_and_then_nothing_is_guessed() {
    let text = r#"[{"role":"user","content":"hi"}]"#;
    let reading = read(text.as_bytes(), Some("anthropic_messages")).expect("reads");
    assert_eq!((reading.format, reading.sniffed), ("anthropic_messages", vec!["openai_chat"]));
    let unknown = read(text.as_bytes(), Some("chat")).expect_err("no such format").message;
    assert!(unknown.starts_with("there is no recording format `chat`; known are `trimtab`"), "{unknown}");
    let foreign = read(b"{\"a\":1}", Some("openai_chat")).expect_err("no record").message;
    assert!(foreign.starts_with("no record of the format `openai_chat` is in it"), "{foreign}");
    let prose = read(b"Dear diary", Some("claude_code")).expect_err("no record").message;
    assert!(prose.starts_with("no record of the format `claude_code` is in it"), "{prose}");
}

#[test]
fn brackets_without_end_are_refused() {
    assert!(read("[".repeat(200_000).as_bytes(), None).is_err());
    assert!(read("{\"a\":".repeat(200_000).as_bytes(), None).is_err());
}

/// Recordings of each format, a value missing at `@`, with the messages that stand around it.
const HOLLOW: [(&str, usize, &str); 10] = [
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
];

#[test]
fn a_record_that_nests_too_deeply_is_counted_and_the_others_are_read() {
    let kinds = [
        ("[", "]"),
        ("{\"a\":", "}"),
        ("[{\"type\":\"tool_result\",\"content\":", "}]"),
        ("{\"role\":\"assistant\",\"content\":", "}"),
    ];
    for (format, messages, hollow) in HOLLOW {
        for (open, close) in kinds {
            let bomb = format!("{}0{}", open.repeat(50_000), close.repeat(50_000));
            let text = hollow.replace('~', "\n").replace('@', &bomb);
            let reading = read(text.as_bytes(), Some(format)).expect(hollow);
            let transcript = &reading.transcripts[0];
            assert_eq!(transcript.skipped.get("nested deeper than 128 levels"), Some(&1), "{hollow} {open}");
            assert_eq!(transcript.messages.len(), messages, "{hollow} {open}");
        }
    }
}

/// A small recording of each format.
const SEEDS: [&str; 5] = [
    "{\"trimtab\":1,\"id\":\"a\"}\n{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":{}}]}\n\
     {\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"id\":\"c\",\"content\":\"x\"}]}\n",
    "{\"type\":\"user\",\"uuid\":\"u\",\"parentUuid\":null,\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n\
     {\"type\":\"assistant\",\"uuid\":\"a\",\"parentUuid\":\"u\",\"isSidechain\":true,\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}\n\
     {\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"b\",\"logicalParentUuid\":\"a\"}\n",
    "{\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"data\":\"QUJD\"}},{\"type\":\"tool_result\"}]}]}",
    "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}]",
    "{\"messages\":[{\"role\":\"user\",\"content\":\"a \\ud83d\\ude00 b\"}],\"usage\":{\"prompt_tokens\":3}}\n\
     [{\"role\":\"tool\",\"content\":\"x\"}]\n",
];

#[test]
fn the_seeds_are_recordings() {
    let formats: Vec<_> = SEEDS.iter().map(|seed| read(seed.as_bytes(), None).expect("reads").format).collect();
    assert_eq!(formats, ["trimtab", "claude_code", "anthropic_messages", "openai_chat", "openai_chat"]);
}

/// Reads as the sniffed and as every format; what is read can be written and read again.
fn survives(bytes: &[u8]) -> Result<(), TestCaseError> {
    let names = FORMATS.iter().map(|format| Some(format.name)).chain([None]);
    for reading in names.filter_map(|name| read(bytes, name).ok()) {
        prop_assert!(!reading.transcripts.is_empty());
        for transcript in &reading.transcripts {
            let again = read(write(transcript).as_bytes(), Some("trimtab"));
            let count = |transcripts: &[Transcript]| transcripts.iter().map(|one| one.messages.len()).sum::<usize>();
            prop_assert_eq!(again.map(|again| count(&again.transcripts)), Ok(transcript.messages.len()));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        survives(&bytes)?;
    }

    #[test]
    fn a_damaged_recording_is_read_or_refused(
        seed in proptest::sample::select(&SEEDS[..]),
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
        survives(&bytes)?;
        survives(&bytes[..cut.index(bytes.len())])?;
    }
}
