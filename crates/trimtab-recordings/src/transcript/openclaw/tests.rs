use super::*;
use crate::transcript;

fn read_all(lines: &[String]) -> Vec<Transcript> {
    let file = transcript::read(lines.join("\n").as_bytes(), None).expect("reads");
    assert_eq!(file.format, "openclaw");
    file.transcripts
}

fn texts(read: &Transcript) -> Vec<String> {
    read.messages.iter().map(|message| message.plain_text()).collect()
}

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":"{text}"}}"#)
}

fn reply(text: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input":1,"cacheRead":2}}}}"#
    )
}

fn end(session: &str, messages: &[String]) -> String {
    let messages = messages.join(",");
    format!(r#"{{"type":"agent.end","sessionKey":"{session}","messages":[{messages}],"seq":1,"ts":1}}"#)
}

fn start(session: &str, prompt: &str) -> String {
    format!(r#"{{"type":"agent.start","sessionKey":"{session}","prompt":"{prompt}","seq":1,"ts":1772442000000}}"#)
}

#[test]
fn messages_that_a_later_event_repeats_count_once() {
    let (a, b, c, d) = (user("a"), reply("b"), user("c"), reply("d"));
    let transcripts = read_all(&[
        start("agent:main:main", "a"),
        end("agent:main:main", &[a.clone(), b.clone()]),
        end("agent:main:subagent:x", &[user("look")]),
        end("agent:main:main", &[a, b, c, d]),
        r#"{"type":"tool.start","toolName":"exec","seq":1,"ts":1}"#.to_owned(),
    ]);
    assert_eq!(texts(&transcripts[0]), ["a", "b", "c", "d"]);
    assert!(transcripts[0].messages.iter().all(|message| !message.resets && !message.harness));
    let agents: Vec<_> = transcripts.iter().map(|read| read.agent.as_deref()).collect();
    assert_eq!(agents, [None, Some("agent:main:subagent:x")]);
    assert_eq!(transcripts[0].skipped.get("tool.start"), Some(&1));
}

#[test]
fn a_list_that_begins_differently_resets_the_context() {
    let transcripts = read_all(&[
        end("s", &[user("a"), reply("b"), user("c")]),
        end("s", &[user("summary"), user("c"), reply("b"), reply("d")]),
    ]);
    let read = &transcripts[0];
    assert_eq!(texts(read), ["a", "b", "c", "summary", "c", "d"]);
    let flags: Vec<_> = read.messages.iter().map(|message| (message.resets, message.harness)).collect();
    assert_eq!(flags[3..], [(true, false), (false, true), (false, false)]);
    assert_eq!(read.skipped.get("copied message"), Some(&1));
}

#[test]
fn a_session_that_did_not_end_has_its_prompts() {
    let transcripts = read_all(&[start("s", "a"), start("s", "a"), start("s", "b")]);
    assert_eq!(texts(&transcripts[0]), ["a", "b"]);
    assert_eq!(transcripts[0].started.as_deref(), Some("2026-03-02T09:00:00.000Z"));
}

#[test]
fn a_run_that_did_not_end_has_the_messages_before_it() {
    let start = |prompt: &str, messages: &[String]| {
        let messages = messages.join(",");
        format!(r#"{{"type":"agent.start","sessionKey":"s","prompt":"{prompt}","messages":[{messages}]}}"#)
    };
    let (a, b, c, d) = (user("a"), reply("b"), user("c"), reply("d"));
    let lists = [start("a", &[]), start("c", &[a.clone(), b.clone()]), start("e", &[a, b, c, d])];
    let transcripts = read_all(&lists);
    assert_eq!((transcripts.len(), texts(&transcripts[0]).join("")), (1, "abcde".to_owned()));
}

#[test]
fn without_sessions_the_messages_of_the_channel_are_read() {
    let transcripts = read_all(&[
        r#"{"type":"message.in","content":"a","seq":1,"ts":1}"#.to_owned(),
        r#"{"type":"message.out","content":"b","seq":2,"ts":2}"#.to_owned(),
    ]);
    assert_eq!(texts(&transcripts[0]), ["a", "b"]);
}
