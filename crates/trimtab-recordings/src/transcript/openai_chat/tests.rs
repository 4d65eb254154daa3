use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Arguments, Body, Part, Role, Tier, Usage};

use crate::transcript::{self, ReadFile, Transcript, api};

fn read(text: &str) -> ReadFile {
    let file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!(file.format, "openai_chat");
    file
}

fn read_one(text: &str) -> Transcript {
    let mut file = read(text);
    assert_eq!(file.transcripts.len(), 1);
    file.transcripts.remove(0)
}

fn roles(transcript: &Transcript) -> String {
    transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

#[test]
fn a_list_an_object_and_lines_of_messages_are_the_same_conversation() {
    let messages = [json!({"role": "developer", "content": "Be brief."}), json!({"role": "user", "content": "hi"})];
    let [first, second] = &messages;
    let list = read(&json!(messages).to_string());
    assert_eq!(roles(&list.transcripts[0]), "su");
    assert_eq!(read(&format!("{first}\n{second}")), list);
    assert_eq!(read(&json!({ "messages": messages }).to_string()), list);
    assert_eq!(read(&json!({ "history": messages }).to_string()), list);
    assert_eq!(read(&serde_json::to_string_pretty(&messages).expect("writes")), list);
}

#[test]
fn a_response_has_its_time_and_its_tier() {
    let response = json!({"created": 1_785_000_000, "model": "gpt-5.6", "service_tier": "flex",
        "choices": [{"message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 100, "prompt_cache_hit_tokens": 60, "completion_tokens": 5}});
    let request = json!({"model": "gpt-5.6", "messages": [{"role": "user", "content": "go"}], "response": response});
    let reply = read_one(&request.to_string()).messages.remove(1);
    assert_eq!(reply.at.as_deref(), Some("2026-07-25T17:20:00.000Z"));
    let usage = reply.usage.expect("usage");
    assert_eq!((usage.input, usage.cache_read, usage.service.tier), (40, 60, Tier::Flex));
    // The time of a log entry is that of its reply.
    let entry = json!({"timestamp": 1_785_000_000_000_u64, "request": {"messages": [{"role": "user", "content": "go"}]},
        "response": {"choices": [{"message": {"role": "assistant", "content": "ok"}}]}});
    assert_eq!(read_one(&entry.to_string()).messages[1].at.as_deref(), Some("2026-07-25T17:20:00.000Z"));
}

#[test]
fn a_response_of_another_api_is_that_of_another_format() {
    let response = json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Done."}],
        "usage": {"input_tokens": 100, "output_tokens": 40}});
    let earlier = json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "x"}, {"role": "user", "content": "more"}]);
    for record in [
        json!({"messages": earlier, "response": response}),
        json!({"request": {"messages": earlier}, "response": response}),
    ] {
        let file = transcript::read(record.to_string().as_bytes(), None).expect("reads");
        assert_eq!((file.format, roles(&file.transcripts[0]).as_str()), ("anthropic_messages", "uaua"));
        let usages: Vec<_> = file.transcripts[0].messages.iter().map(|message| message.usage.is_some()).collect();
        assert_eq!(usages, [false, false, false, true]);
    }
    let tools = json!({"messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "ls", "input_schema": {}}]});
    assert_eq!(transcript::read(tools.to_string().as_bytes(), None).expect("reads").format, "anthropic_messages");
    let chat = json!({"messages": [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "a", "content": "x"}],
        "tools": [{"name": "ls", "input_schema": {}}]});
    assert_eq!(transcript::read(chat.to_string().as_bytes(), None).expect("reads").format, "openai_chat");
    // Its model is that of the conversation, if the request names none, and so is that of a reply that both have.
    let reply = |model: Option<&str>| json!({"role": "assistant", "type": "message", "model": model, "content": "x"});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "x"});
    for (messages, response) in [
        (json!([result]), reply(Some("m"))),
        (json!([result, {"role": "assistant", "model": "m", "content": "x"}]), reply(None)),
    ] {
        let mixed = json!({"messages": messages, "response": response});
        let mixed = transcript::read(mixed.to_string().as_bytes(), None).expect("reads");
        assert_eq!((roles(&mixed.transcripts[0]).as_str(), mixed.transcripts[0].model.as_deref()), ("ta", Some("m")));
    }
    // Usage without a reply that can be read is that of no other reply.
    let unknown = |response: &Json| json!({"messages": earlier, "response": response}).to_string();
    let read = read_one(&unknown(&json!({"generation": "Done.", "usage": {"prompt_tokens": 100}})));
    assert!(read.messages.iter().all(|message| message.usage.is_none()));
    assert_eq!(read.skipped.get("response"), Some(&1));
    // A failed request has no reply.
    let failed = read_one(&unknown(&json!({"error": {"message": "overloaded"}})));
    assert_eq!((roles(&failed).as_str(), failed.skipped.len()), ("uau", 0));
}

#[test]
fn each_record_of_a_log_is_read_as_one_of_its_own_api() {
    let record = |response: &Json| {
        let request = match response.get("candidates") {
            Some(_) => json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}),
            None => json!({"messages": [{"role": "user", "content": "hi"}]}),
        };
        json!({"request": request, "response": response})
    };
    let chat = json!({"choices": [{"message": {"role": "assistant", "content": "a"}}], "usage": {"prompt_tokens": 1}});
    let anthropic = json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "b"}], "usage": {"input_tokens": 2}});
    let converse =
        json!({"output": {"message": {"role": "assistant", "content": [{"text": "c"}]}}, "usage": {"inputTokens": 3}});
    let gemini = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "d"}]}}], "usageMetadata": {"promptTokenCount": 4}});
    let responses = [chat, anthropic, converse, gemini];
    for first in 0..4 {
        let order = [first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4];
        let lines: String = order.iter().map(|at| format!("{}\n", record(&responses[*at]))).collect();
        let read = transcript::read(lines.as_bytes(), None).expect("reads").transcripts;
        let replies = read.iter().flat_map(|one| &one.messages).filter(|message| message.is_reply());
        let found: Vec<_> = replies.map(|reply| (reply.plain_text(), reply.usage.map_or(0, Usage::context))).collect();
        let expected: Vec<_> = order.iter().map(|at| (["a", "b", "c", "d"][*at].to_owned(), *at as u64 + 1)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn blocks_of_another_api_do_not_hide_calls_nor_responses() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    let thinking = json!([{"type": "thinking", "thinking": "hm"}]);
    let messages = json!([{"role": "user", "content": "go"}, {"role": "assistant", "content": thinking, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "x"}]);
    let read = transcript::read(json!({"messages": messages}).to_string().as_bytes(), None).expect("reads");
    assert_eq!(roles(&read.transcripts[0]), "uat");
    let blocks = json!([{"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "ls", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}]);
    let response =
        json!({"choices": [{"message": {"role": "assistant", "content": "ok"}}], "usage": {"prompt_tokens": 9}});
    let record = json!({"request": {"messages": blocks}, "response": response});
    let read = transcript::read(record.to_string().as_bytes(), None).expect("reads").transcripts.remove(0);
    assert_eq!((roles(&read).as_str(), read.messages[3].usage.map(Usage::context)), ("uata", Some(9)));
    assert!(transcript::read(record.to_string().as_bytes(), Some("gemini_contents")).is_err());
}

#[test]
fn a_response_that_is_no_object_is_not_lost_without_a_word() {
    let record = json!({"messages": [{"role": "user", "content": "hi"}], "response": "plain text"});
    let error = transcript::read(record.to_string().as_bytes(), None).expect_err("a lost reply");
    assert!(error.message.starts_with("found no replies as `openai_chat`"), "{}", error.message);
}

#[test]
fn a_reply_that_the_messages_end_with_gets_what_the_response_says_besides() {
    let reply = json!({"role": "assistant", "content": "ok"});
    let response =
        json!({"model": "m", "created": 1_785_000_000, "service_tier": "flex", "choices": [{"message": reply}]});
    let record = json!({"messages": [{"role": "user", "content": "go"}, reply], "response": response, "usage": {"prompt_tokens": 9}});
    let reply = read_one(&record.to_string()).messages.remove(1);
    assert_eq!((reply.at.as_deref(), reply.model.as_deref()), (Some("2026-07-25T17:20:00.000Z"), Some("m")));
    assert_eq!(reply.usage.map(|usage| (usage.context(), usage.service.tier)), Some((9, Tier::Flex)));
}

#[test]
fn conversations_on_several_lines_have_different_ids() {
    let file = read(
        "{\"metadata\":{\"a\":1}}\n{\"id\":\"x\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n\
         [{\"role\":\"user\",\"content\":\"b\"}]\n{\"id\":\"x\",\"messages\":[{\"role\":\"user\",\"content\":\"c\"}]}\n{\"mess",
    );
    let ids: Vec<_> = file.transcripts.iter().map(|read| read.id.as_str()).collect();
    assert_eq!(ids, ["x", "1", "x.2"]);
    assert_eq!(json!(file.transcripts[0].skipped), json!({"record without messages": 1, "broken line": 1}));
}

#[test]
fn a_single_line_is_read_like_a_document() {
    let line = r#"{"messages":[{"role":"user","content":"a"}]}"#;
    assert_eq!(read(line), read(&format!("{line}\n\n")));
}

#[test]
fn arguments_are_kept_as_recorded() {
    let calls = json!([
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1}"}},
        {"id": "b", "function": {"name": "f", "arguments": {"x": 1}}},
        {"id": "c", "function": {"name": "f", "arguments": "{broken"}},
        {"id": "d", "type": "custom", "custom": {"name": "g", "input": "free text"}},
        {"id": "e", "name": "h", "arguments": {}},
        {"id": "f", "function": "i", "arguments": {}},
        {"function": {"name": "k"}},
    ]);
    let read = read_one(&json!([{"role": "assistant", "content": null, "tool_calls": calls}]).to_string());
    let empty = || Arguments::from(json!({}));
    let expected = [
        Part::call("a", "f", Arguments::Text("{\"x\": 1}".into())),
        Part::call("b", "f", Arguments::from(json!({"x": 1}))),
        Part::call("c", "f", Arguments::Text("{broken".into())),
        Part::call("d", "g", Arguments::Text("free text".into())),
        Part::call("e", "h", empty()),
        Part::call("f", "i", empty()),
        Part::call("", "k", Arguments::Text("".into())),
    ];
    assert_eq!(read.messages[0].parts, expected);
}

#[test]
fn a_legacy_function_call_is_a_call_without_an_id() {
    let read = read_one(
        r#"[{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
            {"role":"function","name":"f","content":"4"}]"#,
    );
    assert_eq!(read.messages[0].parts, [Part::call("", "f", Arguments::Text("{}".into()))]);
    let result = read.messages[1].results().next().expect("a result");
    assert_eq!((result.id.as_str(), result.name.as_deref(), result.text.as_ref()), ("", Some("f"), "4"));
}

#[test]
fn content_may_be_null_a_string_or_parts() {
    let image = format!("data:image/png;base64,{}", "QUJD".repeat(1000));
    let content = json!([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": image}},
        {"type": "refusal", "refusal": "no"}, {"type": "input_audio", "input_audio": {"data": "QUJD".repeat(1000)}}]);
    let read = read_one(
        &json!([{"role": "user", "content": null}, {"role": "user", "content": ""},
        {"role": "user", "content": "x"}, {"role": "user", "content": content}, {"role": "user", "content": 4}])
        .to_string(),
    );
    let sizes: Vec<_> = read.messages.iter().map(|message| message.parts.len()).collect();
    assert_eq!(sizes, [0, 0, 1, 4, 0]);
    let parts = &read.messages[3].parts;
    assert_eq!(parts[1].body, Body::Image { media_type: "image/png".into(), bytes: 3000, size: None });
    assert_eq!(parts[2], Part::text("no"));
    assert!(matches!(&parts[3].body, Body::Other(json) if json["input_audio"]["data"]["bytes"] == 3000));
}

#[test]
fn a_logged_response_becomes_the_last_message_with_its_usage() {
    let read = read_one(
        r#"{"model":"m","context_window":200000,"messages":[{"role":"user","content":"hi"}],
            "tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],
            "response":{"model":"m-1","choices":[{"message":{"role":"assistant","content":"ho"}}],
            "usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60}}}}"#,
    );
    assert_eq!(roles(&read), "ua");
    assert_eq!(
        read.messages[1].usage,
        Some(Usage { input: 40, cache_read: 60, cache_write: 0, output: 7, ..Usage::default() })
    );
    assert_eq!((read.window, read.tools[0].schema.as_deref()), (Some(200_000), Some(r#"{"type":"object"}"#)));
}

#[test]
fn usage_beside_the_messages_belongs_to_the_last_reply() {
    let read = read_one(
        r#"{"messages":[{"role":"assistant","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],
            "usage":{"prompt_tokens":5,"completion_tokens":1,"cache_creation_input_tokens":9}}"#,
    );
    let usage: Vec<_> = read.messages.iter().map(|message| message.usage.is_some()).collect();
    assert_eq!(usage, [false, true, false]);
    assert_eq!(read.messages[1].usage.map(Usage::context), Some(5));
}

#[test]
fn a_response_that_is_already_the_last_message_is_not_repeated() {
    let reply = json!({"role": "assistant", "content": "ho"});
    let logged =
        json!({"messages": [{"role": "user", "content": "hi"}, reply], "response": {"choices": [{"message": reply}]}});
    assert_eq!(roles(&read_one(&logged.to_string())), "ua");
}

#[test]
fn a_batch_request_is_parsed_from_its_body() {
    let read = read_one(r#"{"custom_id":"q1","body":{"model":"m","messages":[{"role":"user","content":"hi"}]}}"#);
    assert_eq!((read.id.as_str(), read.model.as_deref(), read.messages.len()), ("q1", Some("m"), 1));
}

#[test]
fn a_message_with_an_agent_name_as_its_role_is_a_reply() {
    let read = read_one(r#"[{"role":"human","content":"a"},{"role":"Orchestrator (thought)","content":"b"}]"#);
    assert_eq!(roles(&read), "ua");
}

#[test]
fn reasoning_comes_before_the_content() {
    let read = read_one(r#"[{"role":"assistant","content":"b","reasoning_content":"a"}]"#);
    let thinking = Part::new(Body::Thinking { text: "a".into(), signature: None });
    assert_eq!(read.messages[0].parts, [thinking, Part::text("b")]);
}

#[test]
fn the_texts_of_a_result_are_joined() {
    let read = read_one(
        r#"[{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]},
            {"role":"tool","content":"orphan"},{"role":"tool","tool_call_id":"a","content":null}]"#,
    );
    assert_eq!(read.messages[0].parts, [Part::result("a", "x\ny", false)]);
    assert_eq!(read.messages[1].parts, [Part::result("", "orphan", false)]);
    assert_eq!(read.messages[2].parts, [Part::result("a", "", false)]);
    assert!(read.messages.iter().all(|message| message.role == Role::Tool));
}

#[test]
fn what_the_total_has_besides_prompt_and_completion_is_output() {
    let usage = |json: &str| api::chat_usage(json).expect("usage");
    let gemini = usage(r#"{"prompt_tokens":66,"completion_tokens":6,"total_tokens":100}"#);
    assert_eq!((gemini.input, gemini.output), (66, 34));
    assert_eq!(usage(r#"{"prompt_tokens":66,"completion_tokens":6,"total_tokens":72}"#).output, 6);
    assert_eq!(usage(r#"{"prompt_tokens":66,"completion_tokens":6,"total_tokens":66}"#).output, 6);
}

#[test]
fn a_lone_surrogate_does_not_make_the_file_unreadable() {
    let file = read(r#"[{"role":"user","content":"a \ud83d b"}]"#);
    assert_eq!((file.replaced, file.transcripts[0].messages[0].plain_text()), (1, "a \u{fffd} b".to_owned()));
}
