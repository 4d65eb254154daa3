//! Analyses of recordings as they are read: whether the reader found the content, why the recorded cache broke, and the
//! sessions in databases.

use std::fmt::Write as _;
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::json;
use trimtab::conversation::{Role, Usage};
use trimtab::host;
use trimtab::model::Models;
use trimtab::simulate::RecordedCache;
use trimtab::transcript::{Transcript, read};

use crate::sessions::{clearings, long_prompt, usage};
use crate::{Case, Work, reading};

pub(crate) const CASES: &[Case] = &[
    // Files in which readers find no call, or no result, so that the whole text is searched for some.
    ("missing_content_chat", 5_000, |count| reading(pi(count, &words()))),
    ("missing_content_white_space", 5_000, |count| {
        reading(pi(count, &words()).replace(':', &format!(":{}", " ".repeat(99))))
    }),
    ("missing_content_branches", 5_000, branches),
    ("missing_content_results", 5_000, |count| {
        let call = json!([{"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "toolResult"}}]);
        reading(pi(count, &call))
    }),
    ("recorded_cache", 20_000, |count| recorded_cache(cached(usage(count)))),
    ("recorded_cache_clearings", 20_000, |count| recorded_cache(cached(clearings(count)))),
    ("recorded_cache_resets", 20_000, |count| recorded_cache(cached(reset(usage(count))))),
    ("recorded_cache_prompt", 5_000, |count| recorded_cache(cached(reset(long_prompt(count))))),
    ("opencode_database_messages", 5_000, |count| opencode(1, count)),
    ("opencode_database_sessions", 2_000, |count| opencode(count, 2)),
    ("hermes_database_messages", 5_000, |count| hermes(1, count)),
    ("hermes_database_sessions", 2_000, |count| hermes(count, 2)),
];

/// A reply that has the words for calls and results only as texts.
fn words() -> serde_json::Value {
    let words = ["tool_use", "toolCall", "tool_calls", "tool_result", "toolResult"];
    words.into_iter().map(|text| json!({"type": "text", "text": text})).collect()
}

/// The lines of a session of pi in which each of these replies follows a message of a person.
fn pi(replies: usize, content: &serde_json::Value) -> String {
    let mut text = "{\"type\":\"session\",\"timestamp\":\"t\",\"cwd\":\"/\",\"id\":\"s\"}\n".to_owned();
    for at in 0..replies {
        let parent = at.checked_sub(1).map(|before| format!("r{before}"));
        entry(&mut text, &format!("u{at}"), parent.as_deref(), &json!({"role": "user", "content": "go on"}));
        let reply = json!({"role": "assistant", "content": content});
        entry(&mut text, &format!("r{at}"), Some(&format!("u{at}")), &reply);
    }
    text
}

fn entry(text: &mut String, id: &str, parent: Option<&str>, message: &serde_json::Value) {
    let entry = json!({"type": "message", "id": id, "parentId": parent, "timestamp": "t", "message": message});
    writeln!(text, "{entry}").expect("a string takes everything");
}

/// A session that was taken back to its first message after each of these calls.
fn branches(count: usize) -> Work {
    let mut text = pi(1, &json!("ok"));
    for at in 0..count {
        let call = json!([{"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}]);
        entry(&mut text, &format!("b{at}"), Some("u0"), &json!({"role": "assistant", "content": call}));
    }
    entry(&mut text, "last", Some("r0"), &json!({"role": "user", "content": "bye"}));
    reading(text)
}

/// The session with a model that counts what it writes to the cache, and with calls that have read half of their context.
fn cached(mut transcript: Transcript) -> Transcript {
    transcript.model = Some("claude-sonnet-4-5".into());
    for message in transcript.messages.iter_mut().filter(|message| message.is_reply()) {
        let half = message.usage.map_or(20_000, Usage::context) / 2;
        let usage = Usage { cache_read: half, cache_write: half, output: 20, ..Usage::default() };
        Arc::make_mut(message).usage = Some(usage);
    }
    transcript
}

/// The session with a compaction before each tenth result.
fn reset(mut transcript: Transcript) -> Transcript {
    for message in transcript.messages.iter_mut().filter(|message| message.role == Role::Tool).step_by(10) {
        Arc::make_mut(message).resets = true;
    }
    transcript
}

fn recorded_cache(transcript: Transcript) -> Work {
    Box::new(move || RecordedCache::of(&transcript, &Models::default()).breaks.len())
}

/// Reads a database of OpenCode with so many sessions, each with so many messages.
fn opencode(sessions: usize, messages: usize) -> Work {
    let mut sql = "CREATE TABLE session (id TEXT PRIMARY KEY, time_created INTEGER);
        CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
        CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT);"
        .to_owned();
    for session in 0..sessions {
        sql += &format!("INSERT INTO session VALUES ('ses_{session}', {session});");
        for message in 0..messages {
            let id = format!("{session:06}_{message:06}");
            let role = if message % 2 == 0 { "user" } else { "assistant" };
            sql += &format!(
                "INSERT INTO message VALUES ('msg_{id}', 'ses_{session}', {message}, '{{\"role\":\"{role}\"}}');"
            );
            let part = json!({"type": "text", "text": "a line of the message"});
            sql += &format!("INSERT INTO part VALUES ('prt_{id}', 'msg_{id}', '{part}');");
        }
    }
    stored(host::OPENCODE_DATABASE, &sql)
}

/// Reads a database of Hermes Agent with so many sessions, each with so many messages.
fn hermes(sessions: usize, messages: usize) -> Work {
    let mut sql = "CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at REAL);
        CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, active INTEGER);"
        .to_owned();
    for session in 0..sessions {
        sql += &format!("INSERT INTO sessions VALUES ('s{session}', {session});");
        for message in 0..messages {
            let (role, id) = (if message % 2 == 0 { "user" } else { "assistant" }, session * messages + message);
            sql += &format!("INSERT INTO messages VALUES ({id}, 's{session}', '{role}', 'a line of the message', 1);");
        }
    }
    stored(host::HERMES_DATABASE, &sql)
}

/// Reads a database with these contents, which remains as long as the work.
fn stored(name: &'static str, sql: &str) -> Work {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |database: Connection| database.execute_batch(&format!("BEGIN; {sql} COMMIT;"));
    Connection::open(folder.path().join(name)).and_then(write).expect("a database");
    Box::new(move || {
        let bytes = host::read_stored_sessions(&folder.path().join(name)).expect("a database").expect("sessions");
        read(&bytes, None).map_or(0, |reading| reading.transcripts.len())
    })
}
