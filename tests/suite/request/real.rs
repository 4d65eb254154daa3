//! Requests as clients write them, and what is sent in their place.

use std::sync::Arc;

use trimtab::conversation::Role::{self, Assistant, System, Tool, User};
use trimtab::conversation::{Body, Usage};
use trimtab::request::{Dialect, ElementEdit, Rendered, Request, read_reply};
use trimtab::run::{Environment, Next, Session};

use crate::laws;

fn environment() -> Environment {
    Environment { window: Some(100_000), ..Environment::default() }
}

/// What is sent in place of a request under a policy of one rule.
fn sent(dialect: Dialect, json: &str, rule: &str) -> Rendered {
    let plan = Arc::new(laws::plan(&format!("edition 2026\npolicy p {{ rule r {{ {rule} }} }}")));
    let request = Request::read(dialect, None, json).expect("a request");
    let mut session = Session::new(plan, environment(), 0);
    let mut next = session.before_request(request.history(), None);
    while let Next::Summarise(question, ..) = next {
        next = session.answer(question, trimtab::run::Answer::Summary("Sum.".to_owned()));
    }
    assert_eq!(next, Next::Send);
    request.render(&session)
}

/// The text with a replacement that must have a place.
fn with(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replace(old, new)
}

const CLAUDE: &str = r#"{"model":"claude-opus-4-8","max_tokens":32000, "system":[
  {"type":"text","text":"You are a coding agent.","cache_control":{"type":"ephemeral"}}],
 "tools":[{"name":"Bash","description":"Runs a command","input_schema":{"type":"object"}}],
 "thinking":{"type":"enabled","budget_tokens":1024},"temperature":1.0,
 "messages":[
  {"role":"user","content":[{"type":"text","text":"<system-reminder>\u00e9</system-reminder>"},{"type":"text","text":"Fix the \"build\"."}]},
  {"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"EqQB"},{"type":"redacted_thinking","data":"Emw="},
    {"type":"text","text":"I look."},
    {"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make 2>&1 | tail -50", "timeout" : 1.0}},
    {"type":"tool_use","id":"toolu_2","name":"Read","input":{}}]},
  {"role":"user","content":[
    {"tool_use_id":"toolu_1","type":"tool_result","content":"a very long output of the build, line after line","is_error":false},
    {"tool_use_id":"toolu_2","type":"tool_result","content":[{"type":"text","text":"the first half of a file that was read", "cache_control":{"type":"ephemeral"}},
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":"TWFuTWFu"}},{"type":"text","text":"the second half of it"},{"type":"tool_reference","tool_name":"x"}]},
    {"type":"text","text":"Go on."}]},
  {"role":"assistant","content":[{"type":"thinking","thinking":"Done.","signature":"EqQC"},{"type":"text","text":"Done."}]},
  {"role":"user","content":"Thanks. Now \ud83e\udd80."}
 ],"stream":true}
"#;

#[test]
fn a_body_declares_model_tools_and_limit() {
    let request = Request::read(Dialect::Anthropic, None, CLAUDE).expect("a request");
    assert_eq!(request.model().as_deref(), Some("claude-opus-4-8"));
    assert_eq!(request.tools()[0].description.as_deref(), Some("Runs a command"));
    let roles: Vec<Role> = request.history().iter().map(|message| message.role).collect();
    assert_eq!(roles, [System, User, Assistant, Tool, Tool, User, Assistant, User]);
    assert_eq!((request.element_count(), request.messages_of(2)), (5, 3..6));
    assert_eq!(Dialect::of_body(CLAUDE), Some(Dialect::Anthropic));
}

#[test]
fn only_the_text_of_masked_results_changes() {
    let rendered = sent(Dialect::Anthropic, CLAUDE, r#"do mask results keep 0 messages placeholder "[gone]""#);
    let new = with(CLAUDE, "a very long output of the build, line after line", "[gone]");
    let new = with(&new, "the first half of a file that was read", "[gone]");
    let image = r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"TWFuTWFu"}}"#;
    let rest = format!(
        ",\n      {image},{},{}",
        r#"{"type":"text","text":"the second half of it"}"#, r#"{"type":"tool_reference","tool_name":"x"}"#
    );
    assert_eq!(rendered.json, with(&new, &rest, ""));
    assert!(matches!(&rendered.edits[2], ElementEdit::Replace(2, text) if text.contains("[gone]")));
    assert_eq!(rendered.edits[3..], [ElementEdit::Keep(3), ElementEdit::Keep(4)]);
}

#[test]
fn a_masked_image_becomes_a_text_block_of_the_result() {
    let rendered = sent(Dialect::Anthropic, CLAUDE, "do mask images keep 0 messages");
    let image = r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"TWFuTWFu"}}"#;
    assert_eq!(rendered.json, with(CLAUDE, image, r#"{"type":"text","text":"[image: image/png]"}"#));
}

#[test]
fn signed_thinking_is_removed_as_a_whole() {
    let rendered = sent(Dialect::Anthropic, CLAUDE, "do mask thinking keep 0 messages");
    let first = "{\"type\":\"thinking\",\"thinking\":\"Hm.\",\"signature\":\"EqQB\"},";
    let new = with(&with(CLAUDE, first, ""), "{\"type\":\"redacted_thinking\",\"data\":\"Emw=\"},\n    ", "");
    assert_eq!(rendered.json, with(&new, r#"{"type":"thinking","thinking":"Done.","signature":"EqQC"},"#, ""));
}

#[test]
fn masked_arguments_stay_an_object() {
    let rendered = sent(Dialect::Anthropic, CLAUDE, r#"do mask calls keep 0 messages placeholder "[]""#);
    let new = with(CLAUDE, r#"{"command":"make 2>&1 | tail -50", "timeout" : 1.0}"#, r#"{"masked":"[]"}"#);
    assert_eq!(rendered.json, new);
}

#[test]
fn a_summary_replaces_messages_and_leaves_the_rest_of_their_element() {
    let rendered = sent(Dialect::Anthropic, CLAUDE, "do summarise older keep 3 messages");
    let list: serde_json::Value = serde_json::from_str(&rendered.json).expect("JSON");
    let messages = list["messages"].as_array().expect("a list");
    assert_eq!(messages.len(), 4, "{}", rendered.json);
    assert!(messages[0]["content"].as_str().expect("a text").contains("Sum."));
    assert_eq!(messages[1], serde_json::json!({"role":"user","content":[{"type":"text","text":"Go on."}]}));
    let [ElementEdit::Remove(0) | ElementEdit::Insert(_), ..] = &rendered.edits[..] else {
        panic!("{:?}", rendered.edits)
    };
    assert_eq!(rendered.edits[4..], [ElementEdit::Keep(3), ElementEdit::Keep(4)]);
}

#[test]
fn anthropic_has_no_system_messages_and_no_blank_texts_in_the_list() {
    let list = r#"[{"role":"user","content":"Hi."}]"#;
    let rendered = sent(Dialect::Anthropic, list, r#"do inject "Be \"brief\"." as system"#);
    assert_eq!(rendered.json, r#"[{"role":"user","content":"Hi."},{"role":"user","content":"Be \"brief\"."}]"#);
    let rendered = sent(Dialect::Anthropic, list, r#"do inject " " as assistant"#);
    assert_eq!(rendered.json, list);
    let rendered = sent(Dialect::Anthropic, list, r#"do inject "So: " as assistant for step"#);
    assert_eq!(rendered.json, r#"[{"role":"user","content":"Hi."},{"role":"assistant","content":"So:"}]"#);
}

#[test]
fn what_a_rule_adds_comes_after_the_text_beside_results() {
    let list = r#"[{"role":"user","content":"Go."},
      {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]},
      {"role":"user" ,"content":[ {"type":"tool_result","tool_use_id":"a","content":"x"}, {"type":"text","text":"And?"} ]}]"#;
    let rendered = sent(Dialect::Anthropic, list, r#"on reply do inject "Hm." as assistant"#);
    assert_eq!(rendered.json, with(list, "} ]}]", r#"} ]},{"role":"assistant","content":"Hm."}]"#));
}

const CHAT: &str = r#"{ "model" : "deepseek-reasoner", "max_completion_tokens":800, "messages" : [
 {"role":"developer","content":"Be brief."},
 {"role":"user","content":[{"type":"text","text":"What is in \/tmp?"},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]},
 {"role":"assistant","content":null,"reasoning_content":"I list it.","reasoning":"I list it.","refusal":null,"tool_calls":[
   {"index":0,"id":"call_1","type":"function","function":{"name":"ls","arguments":"{\"path\": \"/tmp\", \"all\": true}"}},
   {"id":"call_2","type":"custom","custom":{"name":"sh","input":"ls -la /tmp /tmp/a /tmp/b"}}]},
 {"role":"tool","tool_call_id":"call_1","content":"total 0, and nothing else of any interest"},
 {"tool_call_id":"call_2","role":"tool","content":[{"type":"text","text":"also nothing, after a long search"},{"type":"text","text":""}]},
 {"role":"assistant","content":"It is empty."},
 {"role":"user","content":"And \/var?"}],"tools":[{"type":"function","function":{"name":"ls","parameters":{}}}]}"#;

#[test]
fn chat_messages_change_only_where_they_are_edited() {
    let rendered = sent(Dialect::OpenAiChat, CHAT, r#"do mask results keep 0 messages placeholder "[gone]""#);
    let new = with(CHAT, "total 0, and nothing else of any interest", "[gone]");
    assert_eq!(rendered.json, with(&new, "also nothing, after a long search", "[gone]"));
    let rendered = sent(Dialect::OpenAiChat, CHAT, r#"do mask calls keep 0 messages placeholder "[]""#);
    let new = with(CHAT, r#""{\"path\": \"/tmp\", \"all\": true}""#, r#""{\"masked\":\"[]\"}""#);
    assert_eq!(rendered.json, with(&new, r#""ls -la /tmp /tmp/a /tmp/b""#, r#""{\"masked\":\"[]\"}""#));
    let rendered = sent(Dialect::OpenAiChat, CHAT, "do mask thinking keep 0 messages");
    let thinking = r#","reasoning_content":"I list it.","reasoning":"I list it.""#;
    assert_eq!(rendered.json, with(CHAT, thinking, ""));
    let request = Request::read(Dialect::OpenAiChat, None, CHAT).expect("a request");
    assert_eq!(request.history()[0].role, System);
    assert_eq!(Dialect::of_body(CHAT), Some(Dialect::OpenAiChat));
}

const CODEX: &str = r#"{"model":"gpt-5.5-codex","instructions":"You are Codex.","store":false,"include":["reasoning.encrypted_content"],
"tools":[{"type":"function","name":"shell","description":"Runs","strict":false,"parameters":{"type":"object"}},{"type":"web_search"}],"input":[
 {"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>"}]},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."}]},
 {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"**Looking**"}],"encrypted_content":"gAAAA","content":null},
 {"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look."}],"id":"msg_1"},
 {"type":"function_call","id":"fc_1","name":"shell","arguments":"{\"command\":[\"ls\",\"-la\",\"/\"]}","call_id":"call_1"},
 {"type":"mcp_list_tools","id":"mcpl_1","server_label":"s","tools":[]},
 {"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** End Patch","call_id":"call_2"},
 {"type":"function_call_output","call_id":"call_1","output":"a long listing of files, too long to be kept"},
 {"type":"custom_tool_call_output","call_id":"call_2","output":[{"type":"input_text","text":"Success. Updated the following files."}]},
 {"type":"compaction","encrypted_content":"gBBBB"},
 {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}},
 {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]},
 {"role":"user","content":"Thanks."}]}"#;

#[test]
fn consecutive_items_of_a_model_are_one_reply() {
    let request = Request::read(Dialect::OpenAiResponses, None, CODEX).expect("a request");
    let roles: Vec<Role> = request.history().iter().map(|message| message.role).collect();
    assert_eq!(roles, [System, System, User, Assistant, Tool, Tool, Assistant, User]);
    let reply = &request.history()[3];
    assert!(matches!(&reply.parts[0].body, Body::Thinking { signature: Some(data), .. } if data.as_ref() == "gAAAA"));
    let tools: Vec<_> = reply.calls().map(|(id, name, _)| (id.as_str(), name.as_str())).collect();
    assert_eq!(tools, [("call_1", "shell"), ("call_2", "apply_patch")]);
    assert_eq!((request.messages_of(2), request.messages_of(6)), (3..4, 3..4));
    assert!(request.messages_of(9).is_empty());
    assert_eq!(request.tools()[0].name, "shell");
    assert_eq!(Dialect::of_body(CODEX), Some(Dialect::OpenAiResponses));
}

#[test]
fn items_change_only_where_they_are_edited() {
    let edit = |rule: &str| sent(Dialect::OpenAiResponses, CODEX, rule).json;
    let new = with(CODEX, "a long listing of files, too long to be kept", "[gone]");
    let new = with(&new, "Success. Updated the following files.", "[gone]");
    assert_eq!(edit(r#"do mask results keep 0 messages placeholder "[gone]""#), new);
    // What was provided with the reasoning may not be sent under its id without it.
    let reasoning = " {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"**Looking**\"}],\"encrypted_content\":\"gAAAA\",\"content\":null},\n";
    let new = with(&with(CODEX, reasoning, ""), r#","id":"msg_1""#, "");
    assert_eq!(edit("do mask thinking keep 0 messages"), with(&new, r#""id":"fc_1","#, ""));
    let new = with(CODEX, r#""{\"command\":[\"ls\",\"-la\",\"/\"]}""#, r#""{\"masked\":\"[]\"}""#);
    let new = with(&new, r#""*** Begin Patch\n*** End Patch""#, r#""{\"masked\":\"[]\"}""#);
    assert_eq!(edit(r#"do mask calls keep 0 messages placeholder "[]""#), new);
}

#[test]
fn reasoning_without_text_is_removed_with_the_ids_of_what_followed_it() {
    let json = r#"[{"role":"user","content":"hi"},
 {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"I look."}]},
 {"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}"},
 {"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":""}]},
 {"type":"function_call","id":"fc_2","call_id":"b","name":"f","arguments":"{}"},
 {"type":"function_call_output","call_id":"a","output":"A"},
 {"type":"function_call_output","call_id":"b","output":"B"},
 {"role":"user","content":"go on"}]"#;
    let rendered = sent(Dialect::OpenAiResponses, json, "do mask thinking keep 0 messages");
    let first =
        " {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"I look.\"}]},\n";
    let second = " {\"type\":\"reasoning\",\"id\":\"rs_2\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"\"}]},\n";
    let new = with(&with(json, first, ""), second, "");
    assert_eq!(rendered.json, with(&with(&new, r#""id":"fc_1","#, ""), r#""id":"fc_2","#, ""));
}

#[test]
fn a_summary_of_items_leaves_what_no_reader_knows() {
    let rendered = sent(Dialect::OpenAiResponses, CODEX, "do summarise older keep 1 messages");
    let body: serde_json::Value = serde_json::from_str(&rendered.json).expect("JSON");
    let kinds: Vec<_> = body["input"].as_array().expect("a list").iter().map(|item| item["type"].as_str()).collect();
    assert_eq!(kinds, [Some("message"), Some("message"), Some("mcp_list_tools"), Some("compaction"), None]);
}

#[test]
fn what_is_unknown_is_never_changed() {
    let items = r#"[{"role":"user","content":"Go."},
      {"type":"shell_call","call_id":"a","action":{"commands":["ls -la / /tmp /var /usr /etc /home"]}},
      {"type":"image_generation_call","id":"ig_1","result":"TWFu"},
      {"type":"shell_call_output","call_id":"a","output":[{"stdout":"a very long listing of all files","outcome":{"exit_code":0}}]},
      {"type":"mcp_approval_response","approve":true},{"type":"message","role":"user","content":[{"type":"input_file","file_id":"f"}]}]"#;
    let blocks = r#"[{"role":"user","content":[{"type":"document","source":{"type":"text","data":"a long text that is read"}}]},
      {"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"a long query"}},
        {"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","encrypted_content":"x"}]}]},
      {"role":"user","content":[{"type":"container_upload","file_id":"f"}]}]"#;
    for (dialect, list) in [(Dialect::OpenAiResponses, items), (Dialect::Anthropic, blocks)] {
        for rule in ["do mask results keep 0 messages", "do mask calls keep 0 messages", "do trim results to 1 chars"] {
            assert_eq!(sent(dialect, list, rule).json, list);
        }
    }
}

#[test]
fn a_session_that_knows_a_shorter_history_changes_nothing() {
    let plan = Arc::new(laws::plan("edition 2026\npolicy p { rule r { do mask results keep 0 messages } }"));
    let mut session = Session::new(plan, environment(), 0);
    let request = Request::read(Dialect::Anthropic, None, CLAUDE).expect("a request");
    let _ = session.before_request(&request.history()[..2], None);
    assert_eq!(request.render(&session).json, CLAUDE);
}

#[test]
fn a_prompt_in_place_of_a_list_becomes_a_list_if_something_is_added() {
    let body = r#"{"input" : "H\u0069.","model":"m"}"#;
    assert_eq!(sent(Dialect::OpenAiResponses, body, "do mask results").json, body);
    let rendered = sent(Dialect::OpenAiResponses, body, r#"do inject "More.""#);
    let list = r#"[{"type":"message","role":"user","content":"H\u0069."},{"type":"message","role":"user","content":[{"type":"input_text","text":"More."}]}]"#;
    assert_eq!(rendered.json, with(body, r#""H\u0069.""#, list));
    let long = format!(r#"{{"input":"{}"}}"#, "word ".repeat(100));
    let rendered = sent(Dialect::OpenAiResponses, &long, "do summarise all pin none");
    assert!(rendered.json.contains("Sum.") && !rendered.json.contains("word word"), "{}", rendered.json);
}

#[test]
fn the_same_elements_give_the_same_messages() {
    for (dialect, json) in
        [(Dialect::Anthropic, CLAUDE), (Dialect::OpenAiChat, CHAT), (Dialect::OpenAiResponses, CODEX)]
    {
        let first = Request::read(dialect, None, json).expect("a request");
        let second = Request::read(dialect, Some(&first), json).expect("a request");
        let pairs = first.history().iter().zip(second.history());
        assert!(
            pairs.clone().count() == first.history().len() && pairs.clone().all(|(old, new)| Arc::ptr_eq(old, new))
        );
    }
    let one = r#"[{"role":"user","content":"a"},{"type":"function_call","call_id":"1","name":"x","arguments":"{}"}]"#;
    let first = Request::read(Dialect::OpenAiResponses, None, one).expect("a request");
    let longer = format!("{},{}]", &one[..one.len() - 1], r#"{"type":"message","role":"assistant","content":"b"}"#);
    let second = Request::read(Dialect::OpenAiResponses, Some(&first), &longer).expect("a request");
    assert!(Arc::ptr_eq(&first.history()[0], &second.history()[0]));
    assert_eq!((second.history().len(), second.history()[1].parts.len()), (2, 2));
}

#[test]
fn repeated_keys_and_lone_surrogates_are_read_and_kept() {
    let list = r#"[{"role":"user","content":"old","content":"a \ud83d b"},{"role":"user","content":"c"}]"#;
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic] {
        let request = Request::read(dialect, None, list).expect("a request");
        assert_eq!(request.history()[0].plain_text(), "a \u{fffd} b");
        assert_eq!(sent(dialect, list, "do mask results").json, list);
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let error = |dialect, json: &str| Request::read(dialect, None, json).expect_err("an error").to_string();
    assert!(error(Dialect::OpenAiChat, "[1").starts_with("expected valid JSON; EOF"));
    assert_eq!(error(Dialect::OpenAiChat, "{}"), "expected a list, or an object with a list `messages`");
    assert_eq!(error(Dialect::OpenAiChat, r#"[{"role":"user"},7]"#), "element 1: expected an object");
    assert_eq!(
        error(Dialect::Anthropic, r#"[{"role":"elf"}]"#),
        "element 0: expected a message with the role `user` or `assistant`"
    );
    let deep = format!(r#"[{{"role":"user","content":{}{}}}]"#, "[".repeat(300), "]".repeat(300));
    assert_eq!(error(Dialect::Anthropic, &deep), "element 0: expected at most 128 levels of nesting");
}

#[test]
fn replies_of_all_dialects_are_read_with_their_usage() {
    let chat = r#"{"id":"x","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi."}}],
        "usage":{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":80}}}"#;
    let anthropic = r#"{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi."}],
        "usage":{"input_tokens":20,"cache_read_input_tokens":50,"cache_creation_input_tokens":30,"output_tokens":5}}"#;
    let responses = r#"{"object":"response","model":"m","output":[{"type":"reasoning","id":"r","summary":[]},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi."}]}],
        "usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":80},"output_tokens":5}}"#;
    let cached =
        |cache_read, cache_write| Some(Usage { input: 20, cache_read, cache_write, output: 5, ..Usage::default() });
    for (dialect, body, expected) in [
        (Dialect::OpenAiChat, chat, cached(80, 0)),
        (Dialect::Anthropic, anthropic, cached(50, 30)),
        (Dialect::OpenAiResponses, responses, cached(80, 0)),
    ] {
        let (reply, usage) = read_reply(dialect, body).expect("a reply");
        assert_eq!((reply.plain_text().as_str(), reply.model.as_deref(), usage), ("Hi.", Some("m"), expected));
    }
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::OpenAiResponses] {
        let bare = r#"{"role":"assistant","content":"Hi."}"#;
        assert_eq!(
            read_reply(dialect, bare).map(|(reply, usage)| (reply.plain_text(), usage)),
            Ok(("Hi.".to_owned(), None))
        );
        assert!(read_reply(dialect, r#"{"role":"user","content":"Hi."}"#).is_err());
        assert!(
            read_reply(dialect, "[").is_err()
                && read_reply(dialect, "[]").is_err()
                && read_reply(dialect, "3").is_err()
        );
    }
}

#[test]
fn of_equal_images_in_a_result_the_first_is_removed() {
    let image = r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,TWFuTWFu"}}"#;
    let result = |content: &str| {
        let call = r#"{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"shot","arguments":"{}"}}]}"#;
        format!(
            r#"[{{"role":"user","content":"Look."}},{call},{{"role":"tool","tool_call_id":"a","content":[{content}]}}]"#
        )
    };
    let rendered = sent(Dialect::OpenAiChat, &result(&format!("{image},{image}")), "do drop images keep 1 image");
    assert_eq!(rendered.json, result(image));
}
