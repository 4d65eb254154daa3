//! Views in the JSON of each dialect: tools, the system prompt, and messages of one request.

use trimtab::conversation::Role;
use trimtab::request::{Dialect, Request};

/// What a session sends in place of a body, under a policy with one rule.
fn sent(rule: &str, dialect: Dialect, body: &str) -> trimtab::PreparedRequest {
    let text = format!("edition 2026 policy p {{ rule r {{ do {rule} }} }}");
    let plan = trimtab::compile("p.trim", &text).plan(None).unwrap();
    let mut session = trimtab::Session::new(&plan, trimtab::Host::new().window(100_000));
    match session.before_request(dialect, body, None).unwrap() {
        trimtab::Next::Send(request) => request,
        next => panic!("{next:?}"),
    }
}

const CHAT: &str = r#"{"model":"m","tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"tool_choice":"auto","messages":[{"role":"system","content":"Hi."},{"role":"user","content":"go"}]}"#;
const RESPONSES: &str = r#"{"model":"m","instructions":"Hi.","tools":[{"type":"function","name":"a"},{"type":"web_search"}],"input":[{"role":"user","content":"go"}]}"#;
const ANTHROPIC: &str = r#"{"model":"m","system":"Hi.","tools":[{"name":"a","input_schema":{}},{"name":"b","input_schema":{}}],"messages":[{"role":"user","content":"go"}]}"#;

const GEMINI: &str = r#"{"systemInstruction":{"parts":[{"text":"Hi."}]},"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]},{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},"contents":[{"role":"user","parts":[{"text":"go"}]}]}"#;

#[test]
fn a_function_of_a_group_is_left_out_and_the_other_bytes_stay() {
    let one = sent("tools hide [a]", Dialect::Gemini, GEMINI);
    assert_eq!(one.json, GEMINI.replace(r#"{"name":"a"},"#, ""));
    let group = sent("tools hide [a, b]", Dialect::Gemini, GEMINI);
    assert_eq!(group.json, GEMINI.replace(r#"{"functionDeclarations":[{"name":"a"},{"name":"b"}]},"#, ""));
    let body = GEMINI.replace(r#",{"googleSearch":{}}"#, "");
    let none: serde_json::Value =
        serde_json::from_str(&sent("tools hide [a, b]", Dialect::Gemini, &body).json).unwrap();
    assert!(none.get("tools").is_none() && none.get("toolConfig").is_none() && none.get("contents").is_some());
}

#[test]
fn a_system_instruction_gets_another_part() {
    let added = r#"{"text":"Hi."},{"text":"<variables>\n  <x>\n    1\n  </x>\n</variables>"}"#;
    let more = sent("set x \"1\"", Dialect::Gemini, GEMINI);
    assert_eq!(more.json, GEMINI.replace(r#"{"text":"Hi."}"#, added));
    let text = GEMINI.replace(r#"{"parts":[{"text":"Hi."}]}"#, r#""Hi.""#);
    let joined = sent("set x \"1\"", Dialect::Gemini, &text);
    assert_eq!(joined.json, text.replace(r#""Hi.""#, r#""Hi.\n<variables>\n  <x>\n    1\n  </x>\n</variables>""#));
    let none = r#"{"contents":[{"role":"user","parts":[{"text":"go"}]}]}"#;
    let new = sent("set x \"1\"", Dialect::Gemini, none).json;
    let expected = r#","systemInstruction":{"parts":[{"text":"<variables>\n  <x>\n    1\n  </x>\n</variables>"}]}}"#;
    assert_eq!(new, format!("{}{expected}", none.strip_suffix('}').unwrap()));
}

#[test]
fn a_hidden_tool_is_left_out_and_the_other_bytes_stay() {
    let chat = sent("tools hide [a]", Dialect::OpenAiChat, CHAT);
    assert_eq!(chat.json, CHAT.replace(r#"{"type":"function","function":{"name":"a"}},"#, ""));
    assert_eq!(chat.hidden_tools, ["a"]);
    let responses = sent("tools hide [web_search]", Dialect::OpenAiResponses, RESPONSES);
    assert_eq!(responses.json, RESPONSES.replace(r#",{"type":"web_search"}"#, ""));
    let anthropic = sent("tools only [b]", Dialect::Anthropic, ANTHROPIC);
    assert_eq!(anthropic.json, ANTHROPIC.replace(r#"{"name":"a","input_schema":{}},"#, ""));
}

#[test]
fn a_body_without_tools_has_no_choice_between_them() {
    let json = sent("tools hide [a, b]", Dialect::OpenAiChat, CHAT).json;
    let body: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(body.get("tools").is_none() && body.get("tool_choice").is_none() && body.get("model").is_some());
}

#[test]
fn variables_stand_at_the_end_of_the_system_prompt() {
    let block = r"<variables>\n  <x>\n    1\n  </x>\n</variables>";
    let anthropic = sent("set x \"1\"", Dialect::Anthropic, ANTHROPIC);
    assert_eq!(anthropic.json, ANTHROPIC.replace(r#""Hi.""#, &format!(r#""Hi.\n{block}""#)));
    let responses = sent("set x \"1\"", Dialect::OpenAiResponses, RESPONSES);
    assert_eq!(responses.json, RESPONSES.replace(r#""Hi.""#, &format!(r#""Hi.\n{block}""#)));
    let chat = sent("set x \"1\"", Dialect::OpenAiChat, CHAT);
    let inserted = format!(r#""content":"Hi."}},{{"role":"system","content":"{block}"}}"#);
    assert_eq!(chat.json, CHAT.replace(r#""content":"Hi."}"#, &inserted));
    assert!([anthropic, responses, chat].iter().all(|sent| sent.prompt_additions.is_empty()));
}

#[test]
fn a_system_prompt_of_blocks_gets_another_block() {
    let body = r#"{"system":[{"type":"text","text":"Hi.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"go"}]}"#;
    let json = sent("set x \"1\"", Dialect::Anthropic, body).json;
    let added = r#"}},{"type":"text","text":"<variables>\n  <x>\n    1\n  </x>\n</variables>"}],"messages""#;
    assert_eq!(json, body.replace(r#"}}],"messages""#, added));
}

#[test]
fn a_body_without_a_system_prompt_gets_one() {
    let body = r#"{"max_tokens":9,"messages":[{"role":"user","content":"go"}]}"#;
    let json = sent("set x \"1\"", Dialect::Anthropic, body).json;
    let read = Request::read(Dialect::Anthropic, None, &json).unwrap();
    assert_eq!(read.history().iter().map(|message| message.role).collect::<Vec<_>>(), [Role::System, Role::User]);
}

#[test]
fn a_list_alone_has_no_place_for_the_system_prompt_of_its_body() {
    let list = r#"[{"role":"user","content":"go"}]"#;
    let prepared = sent("set x \"1\"", Dialect::Anthropic, list);
    assert_eq!(prepared.json, list);
    assert_eq!(prepared.prompt_additions, ["<variables>\n  <x>\n    1\n  </x>\n</variables>"]);
}

#[test]
fn a_hidden_section_is_left_out_of_the_system_prompt() {
    let text = r#""<role>x</role>\n<extra>y</extra>""#;
    let anthropic = ANTHROPIC.replace(r#""Hi.""#, text);
    let json = sent("systems hide [extra]", Dialect::Anthropic, &anthropic).json;
    assert_eq!(json, anthropic.replace(r"\n<extra>y</extra>", ""));
    let chat = CHAT.replace(r#""Hi.""#, text);
    let json = sent("systems hide [role, extra]", Dialect::OpenAiChat, &chat).json;
    let read = Request::read(Dialect::OpenAiChat, None, &json).unwrap();
    assert_eq!(read.history().len(), 1, "{json}");
    let json = sent("systems hide [role, extra]", Dialect::Anthropic, &anthropic).json;
    assert!(!json.contains("system"), "{json}");
}

#[test]
fn a_named_system_message_of_a_chat_is_a_section() {
    let body =
        r#"{"messages":[{"role":"system","name":"rules","content":"Be brief."},{"role":"user","content":"go"}]}"#;
    let json = sent("systems hide [rules]", Dialect::OpenAiChat, body).json;
    assert_eq!(json, r#"{"messages":[{"role":"user","content":"go"}]}"#);
}

#[test]
fn interactions_that_are_not_retained_are_left_out_of_the_list() {
    let body = r#"{"messages":[{"role":"system","content":"Hi."},{"role":"user","content":"1"},{"role":"assistant","content":"A"},{"role":"user","content":"2"}]}"#;
    let prepared = sent("retain last 1 interactions", Dialect::OpenAiChat, body);
    assert_eq!(prepared.json, body.replace(r#"{"role":"user","content":"1"},{"role":"assistant","content":"A"},"#, ""));
}

#[test]
fn a_view_is_gone_when_its_rule_does_not_fire() {
    let text = "edition 2026 policy p { rule r { do tools hide [a] then set x \"1\" once } }";
    let plan = trimtab::compile("p.trim", text).plan(None).unwrap();
    let mut session = trimtab::Session::new(&plan, trimtab::Host::new().window(100_000));
    let send =
        |session: &mut trimtab::Session, body: &str| match session.before_request(Dialect::OpenAiChat, body, None) {
            Ok(trimtab::Next::Send(request)) => request.json,
            next => panic!("{next:?}"),
        };
    assert_ne!(send(&mut session, CHAT), CHAT);
    assert_ne!(send(&mut session, CHAT), CHAT, "a retry sends the same request");
    let reply = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"b","arguments":"{}"}}]}"#;
    session.after_reply(reply, None).unwrap();
    let result = r#"{"role":"tool","tool_call_id":"c","content":"ok"}"#;
    let longer = CHAT.replace(r#""content":"go"}]"#, &format!(r#""content":"go"}},{reply},{result}]"#));
    assert_eq!(send(&mut session, &longer), longer);
}
