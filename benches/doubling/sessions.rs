//! Generated sessions.

use std::sync::Arc;

use trimtab::conversation::{Body, Part};
use trimtab::transcript::{Transcript, read};

/// A session with this many identical calls that all fail.
pub(crate) fn session(calls: usize) -> Transcript {
    let mut text = "{\"trimtab\":1,\"window\":200000}\n{\"role\":\"user\",\"content\":\"go\"}\n".to_owned();
    for at in 0..calls {
        text += &format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_call","id":"c{at}","name":"bash","arguments":{{"command":"make"}}}}]}}{}"#,
            "\n"
        );
        let result = "error: no rule to make target ".repeat(6);
        text += &format!(
            r#"{{"role":"tool","content":[{{"type":"tool_result","id":"c{at}","content":"{at} {result}","is_error":true}}]}}{}"#,
            "\n"
        );
    }
    read(text.as_bytes(), None).expect("a recording").transcripts.remove(0)
}

/// A session with this many calls that quote results of older calls.
pub(crate) fn quoting(calls: usize) -> Transcript {
    let mut text = "{\"trimtab\":1,\"window\":200000}\n{\"role\":\"user\",\"content\":\"go\"}\n".to_owned();
    for at in 0..calls {
        let (old, often) = (at / 2, at % 10);
        if at % 20 == 19 {
            text += "{\"role\":\"assistant\",\"content\":\"Done.\"}\n{\"role\":\"user\",\"content\":\"go on\"}\n";
        }
        text += &format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_call","id":"c{at}","name":"bash","arguments":{{"command":"grep name_number_{old} a/often_{often}.rs"}}}}]}}{}"#,
            "\n"
        );
        text += &format!(
            r#"{{"role":"tool","content":[{{"type":"tool_result","id":"c{at}","content":"{}"}}]}}{}"#,
            format!("fn name_number_{at}() in often_{often}.rs\\n").repeat(9),
            "\n"
        );
    }
    read(text.as_bytes(), None).expect("a recording").transcripts.remove(0)
}

/// A session with this many calls, whose results have three images each.
pub(crate) fn pictures(calls: usize) -> Transcript {
    let mut text = "{\"trimtab\":1,\"window\":200000}\n{\"role\":\"user\",\"content\":\"go\"}\n".to_owned();
    for at in 0..calls {
        text += &format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_call","id":"c{at}","name":"screenshot","arguments":{{}}}}]}}{}"#,
            "\n"
        );
        let image = r#",{"type":"image","media_type":"image/png","bytes":3000,"width":200,"height":200}"#.repeat(3);
        text += &format!(
            r#"{{"role":"tool","content":[{{"type":"tool_result","id":"c{at}","content":[{{"type":"text","text":"{at}"}}{image}]}}]}}{}"#,
            "\n"
        );
    }
    read(text.as_bytes(), None).expect("a recording").transcripts.remove(0)
}

/// A session with this many requests of a person, each answered after a call, with a system prompt of two sections.
pub(crate) fn talk(requests: usize) -> Transcript {
    let tools = r#"[{"name":"read_file","description":"Reads a file.","schema":{"type":"object"}},{"name":"bash"}]"#;
    let prompt = r#"{"role":"system","content":"You work.\n<style>\nBe brief.\n</style>\n<notes>\nNone.\n</notes>"}"#;
    let mut text = format!("{{\"trimtab\":1,\"window\":200000,\"tools\":{tools}}}\n{prompt}\n");
    for at in 0..requests {
        text += &format!("{{\"role\":\"user\",\"content\":\"What is in file {at}?\"}}\n");
        text += &format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_call","id":"c{at}","name":"read_file","arguments":{{"path":"{at}"}}}},{{"type":"tool_call","id":"d{at}","name":"bash","arguments":{{"command":"pytest"}}}}]}}{}"#,
            "\n"
        );
        let content = "a line of the file ".repeat(9);
        for call in ["c", "d"] {
            text += &format!(
                r#"{{"role":"tool","content":[{{"type":"tool_result","id":"{call}{at}","content":"{at} {content}"}}]}}{}"#,
                "\n"
            );
        }
        text += "{\"role\":\"assistant\",\"content\":\"It is empty, as [tes-00000] says.\"}\n";
    }
    read(text.as_bytes(), None).expect("a recording").transcripts.remove(0)
}

/// The same with reasoning in every reply, by a model that binds it to what precedes it.
pub(crate) fn thoughts(requests: usize) -> Transcript {
    let mut transcript = talk(requests);
    transcript.model = Some("claude-fable-5-1".into());
    for message in transcript.messages.iter_mut().filter(|message| message.is_reply()) {
        let thinking = Body::Thinking { text: "What the file says matters here. ".repeat(5).into(), signature: None };
        Arc::make_mut(message).parts.insert(0, Part::new(thinking));
    }
    transcript
}

/// A message as a line of a recording.
fn line(message: &serde_json::Value) -> String {
    format!("{message}\n")
}

/// The call of a tool with a number.
fn call(tool: &str, at: usize) -> serde_json::Value {
    serde_json::json!({"type": "tool_call", "id": format!("c{at}"), "name": tool, "arguments": {"n": at}})
}

/// A reply with one call, and its result.
fn turn(tool: &str, at: usize) -> String {
    line(&serde_json::json!({"role": "assistant", "content": [call(tool, at)]})) + &result(at, &serde_json::json!({}))
}

/// The result of a call, with other fields of its message.
fn result(at: usize, more: &serde_json::Value) -> String {
    let content = serde_json::json!([{
        "type": "tool_result", "id": format!("c{at}"), "content": format!("{at} a line of the result, and more of it")
    }]);
    let mut message = serde_json::json!({"role": "tool", "content": content});
    for (name, value) in more.as_object().into_iter().flatten() {
        message[name] = value.clone();
    }
    line(&message)
}

fn recorded(head: &serde_json::Value, messages: impl IntoIterator<Item = String>) -> Transcript {
    let text: String = [line(head)].into_iter().chain(messages).collect();
    read(text.as_bytes(), None).expect("a recording").transcripts.remove(0)
}

fn head() -> serde_json::Value {
    serde_json::json!({"trimtab": 1, "window": 200_000})
}

fn user() -> String {
    line(&serde_json::json!({"role": "user", "content": "go"}))
}

fn system(at: usize) -> String {
    line(&serde_json::json!({"role": "system", "content": format!("Rule {at}: be brief.")}))
}

/// A session with this many different calls whose results are short.
pub(crate) fn calls(count: usize) -> Transcript {
    recorded(&head(), [user()].into_iter().chain((0..count).map(|at| turn("bash", at))))
}

/// A session whose replies have usage; every tenth has less input than the one before it.
pub(crate) fn usage(count: usize) -> Transcript {
    let head = serde_json::json!({"trimtab": 1, "window": 200_000, "model": "claude-sonnet-4-5"});
    let turn = |at: usize| {
        let input = 20_000 + 30 * at - if at % 10 == 9 { 9_000 } else { 0 };
        let usage = serde_json::json!({"input_tokens": input, "output_tokens": 20});
        let reply = serde_json::json!({"role": "assistant", "content": [call("bash", at)], "usage": usage});
        line(&reply) + &result(at, &serde_json::json!({}))
    };
    recorded(&head, [user()].into_iter().chain((0..count).map(turn)))
}

/// A session whose system prompt has this many messages, and as many calls.
pub(crate) fn long_prompt(count: usize) -> Transcript {
    let calls = (0..count).map(|at| turn("bash", at));
    recorded(&head(), (0..count).map(system).chain([user()]).chain(calls))
}

/// A session with a system message after each call.
pub(crate) fn system_messages(count: usize) -> Transcript {
    recorded(&head(), [user()].into_iter().chain((0..count).map(|at| turn("bash", at) + &system(at))))
}

/// One reply with this many calls, and their results.
pub(crate) fn parallel(count: usize) -> Transcript {
    let calls: Vec<_> = (0..count).map(|at| call("bash", at)).collect();
    let reply = line(&serde_json::json!({"role": "assistant", "content": calls}));
    let results = (0..count).map(|at| result(at, &serde_json::json!({})));
    let last = line(&serde_json::json!({"role": "assistant", "content": "Done."}));
    recorded(&head(), [user(), reply].into_iter().chain(results).chain([last]))
}

/// A session in which the harness clears an old result before each call.
pub(crate) fn clearings(count: usize) -> Transcript {
    let turn = |at: usize| {
        let cleared = at.checked_sub(4).map(|old| format!("c{old}")).into_iter().chain([format!("unknown{at}")]);
        let cleared = serde_json::json!({"cleared": {"results": cleared.collect::<Vec<_>>(), "tokens": 9}});
        line(&serde_json::json!({"role": "assistant", "content": [call("bash", at)]})) + &result(at, &cleared)
    };
    recorded(&head(), [user()].into_iter().chain((0..count).map(turn)))
}

/// A session in which the harness compacts after every tenth call.
pub(crate) fn compactions(count: usize) -> Transcript {
    let compaction = serde_json::json!({
        "role": "user", "content": "A summary.", "resets": true, "compaction": {"automatic": true, "tokens": 1_000}
    });
    let turn = |at: usize| turn("bash", at) + &if at % 10 == 9 { line(&compaction) } else { String::new() };
    recorded(&head(), [user()].into_iter().chain((0..count).map(turn)))
}

/// A session with timestamps, usage and a model whose calls edit a file each: a new one, one of a few, or always the same one.
/// Every hundredth call a person writes, and every two-hundredth one runs the tests.
pub(crate) fn edits(count: usize) -> Transcript {
    let head = serde_json::json!({"trimtab": 1, "window": 200_000, "model": "claude-sonnet-4-5"});
    let turn = |at: usize| {
        let path = match at % 3 {
            0 => format!("new_{at}.rs"),
            1 => format!("often_{}.rs", at % 7),
            _ => "same.rs".to_owned(),
        };
        let tool = if at % 200 == 150 { "run_tests" } else { "edit_file" };
        let call = serde_json::json!({
            "type": "tool_call", "id": format!("c{at}"), "name": tool, "arguments": {"path": path, "text": at.to_string()}
        });
        let (hours, minutes, seconds) = (at / 3600 % 24, at / 60 % 60, at % 60);
        let time = format!("2026-01-{:02}T{hours:02}:{minutes:02}:{seconds:02}Z", 1 + at / 86_400);
        let usage = serde_json::json!({"input": 20, "cache_read": 20_000, "cache_write": 500, "output": 20});
        let reply = serde_json::json!({"role": "assistant", "content": [call], "usage": usage, "at": time});
        let end = serde_json::json!({"role": "assistant", "content": "Done.", "at": time});
        let more = if at % 100 == 99 { line(&end) + &user() } else { String::new() };
        line(&reply) + &result(at, &serde_json::json!({"at": time})) + &more
    };
    recorded(&head, [user()].into_iter().chain((0..count).map(turn)))
}

/// A session with this many declared tools, each of which is called once.
pub(crate) fn tools(count: usize) -> Transcript {
    let tool = |at: usize| serde_json::json!({"name": format!("tool_{at}"), "schema": {"type": "object"}});
    let mut head = head();
    head["tools"] = (0..count).map(tool).collect();
    recorded(&head, [user()].into_iter().chain((0..count).map(|at| turn(&format!("tool_{at}"), at))))
}
