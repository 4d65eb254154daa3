//! `trimtab suggest` on generated recordings: when it suggests a rule, and when not.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value as Json, json};

use super::suggest::promise;

/// A recording, written message by message.
pub(super) struct Session {
    lines: String,
    /// The seconds since it began.
    clock: u64,
    calls: usize,
    hour_writes: bool,
}

impl Session {
    /// A recording of a model with a window.
    pub(super) fn new(model: &str, window: u64) -> Self {
        let mut session = Self { lines: String::new(), clock: 0, calls: 0, hour_writes: false };
        session.line(
            &json!({ "trimtab": 1, "model": model, "window": window, "tools": ["bash", "read_file", "edit_file"] }),
        );
        session.line(&json!({ "role": "system", "content": "You work in a shell." }));
        session
    }

    /// Its text.
    pub(super) fn text(&self) -> &str {
        &self.lines
    }

    fn line(&mut self, message: &Json) {
        writeln!(self.lines, "{message}").unwrap();
    }

    fn message(&mut self, mut message: Json) {
        self.clock += 2;
        let (hours, minutes, seconds) = (self.clock / 3600, self.clock / 60 % 60, self.clock % 60);
        message["at"] = json!(format!("2026-06-01T{hours:02}:{minutes:02}:{seconds:02}Z"));
        self.line(&message);
    }

    /// A message of a person.
    pub(super) fn user(&mut self, text: &str) -> &mut Self {
        self.message(json!({ "role": "user", "content": text }));
        self
    }

    /// A reply without calls.
    pub(super) fn reply(&mut self, text: &str) -> &mut Self {
        self.message(json!({ "role": "assistant", "content": text }));
        self
    }

    /// A call and its result.
    pub(super) fn call(&mut self, tool: &str, arguments: &Json, result: &str) -> &mut Self {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let call = json!([{ "type": "tool_call", "id": id, "name": tool, "arguments": arguments }]);
        let mut reply = json!({ "role": "assistant", "content": call });
        if self.hour_writes {
            let usage =
                json!({ "input": 9, "cache_read": 0, "cache_write": 9000, "cache_write_1h": 9000, "output": 30 });
            reply["usage"] = usage;
        }
        self.message(reply);
        self.message(json!({ "role": "tool", "content": [{ "type": "tool_result", "id": id, "content": result }] }));
        self
    }

    /// Calls that read different files, with results of about this many tokens each.
    pub(super) fn work(&mut self, calls: usize, tokens: usize) -> &mut Self {
        for _ in 0..calls {
            let path = format!("src/part{}.txt", self.calls);
            let text: String = (0..tokens / 6).map(|word| format!("word{} ", word * 7 + self.calls)).collect();
            self.call("read_file", &json!({ "path": path }), &text);
        }
        self
    }

    /// A pause before the next message.
    pub(super) fn pause(&mut self, seconds: u64) -> &mut Self {
        self.clock += seconds;
        self
    }

    /// The harness compacts.
    pub(super) fn compaction(&mut self) -> &mut Self {
        let compaction = json!({ "automatic": true, "tokens": 60_000 });
        self.message(json!({ "role": "user", "content": "A summary.", "resets": true, "compaction": compaction }));
        self
    }
}

/// The report on recordings, whose promise is checked.
pub(super) fn report(sessions: &[&Session]) -> Json {
    let folder = tempfile::tempdir().unwrap();
    for (at, session) in sessions.iter().enumerate() {
        fs::write(folder.path().join(format!("{at}.jsonl")), &session.lines).unwrap();
    }
    let out = tempfile::tempdir().unwrap();
    promise(folder.path().to_str().unwrap(), "", out.path())
}

/// The clauses of a suggestion and whether it is kept; none if it is not suggested.
fn suggestion(report: &Json, rule: &str) -> Option<(String, String)> {
    let suggestions = report["suggestions"].as_array().unwrap();
    let one = suggestions.iter().find(|one| one["rule"] == rule)?;
    let clauses: Vec<&str> = one["clauses"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    Some((one["outcome"].as_str().unwrap().to_owned(), clauses.join(" ")))
}

/// A log with a line for each of its parts that nothing else contains.
fn log(lines: usize) -> String {
    (0..lines).map(|line| format!("request_id_{line}a failed after {line} ms because the pool was empty\n")).collect()
}

const RULE: &str = "shorten_old_user_messages";

#[test]
fn a_pasted_log_is_trimmed_from_the_next_request_on() {
    let mut session = Session::new("claude-sonnet-4-5", 200_000);
    session.user(&format!("{}Why does it fail?", log(600))).work(3, 100).reply("The pool is empty.");
    session.user("Enlarge it.").work(30, 100).reply("Done.");
    let report = report(&[&session]);
    assert_eq!(report["observed"]["long_user_texts"]["count"], 1);
    let (outcome, clauses) = suggestion(&report, RULE).unwrap();
    assert_eq!(outcome, "kept", "{report:#}");
    assert!(
        clauses.contains("do trim user_messages over ") && clauses.contains(" from middle keep 0 messages"),
        "{clauses}"
    );
}

#[test]
fn a_log_that_later_calls_quote_is_offloaded() {
    let mut session = Session::new("claude-sonnet-4-5", 200_000);
    session.user(&format!("{}Why does it fail?", log(600))).work(3, 100).reply("The pool is empty.");
    session.user("Find the request in the middle.").work(40, 100);
    session.call("bash", &json!({ "command": "grep request_id_301a" }), "nothing").work(40, 100).reply("Done.");
    let (outcome, clauses) = suggestion(&report(&[&session]), RULE).unwrap();
    assert!(clauses.contains("do offload user_messages over "), "{outcome} {clauses}");
}

#[test]
fn a_long_request_stays_while_it_is_worked_on() {
    let mut session = Session::new("claude-sonnet-4-5", 200_000);
    session.user("Hello").reply("Hello.").user(&log(600)).work(30, 100).reply("Done.");
    let report = report(&[&session]);
    assert_eq!(report["observed"]["long_user_texts"]["count"], 0);
    assert_eq!(suggestion(&report, RULE), None);
}

#[test]
fn windows_of_different_sizes_get_thresholds_of_their_own() {
    let session = |window: u64, calls: usize, tokens: usize| {
        let mut session = Session::new("claude-sonnet-4-5", window);
        session.user("Read it all.").work(calls, tokens).reply("Done.");
        session
    };
    let (small, large) = (session(32_000, 100, 700), session(400_000, 300, 700));
    let both = report(&[&small, &large]);
    let names: Vec<&str> =
        both["suggestions"].as_array().unwrap().iter().map(|one| one["rule"].as_str().unwrap()).collect();
    assert_eq!(suggestion(&both, "mask_in_large_steps").unwrap().0, "split_up", "{names:?}\n{both:#}");
    let (outcome, clauses) = suggestion(&both, "mask_in_large_steps_above_32k").unwrap();
    assert_eq!(outcome, "kept", "{names:?}");
    assert!(clauses.starts_with("when (window ?? 0 tokens) > 32k tokens and context."), "{clauses}");
    let one = report(&[&large]);
    assert!(suggestion(&one, "mask_in_large_steps").is_some());
    assert!(suggestion(&one, "mask_in_large_steps_above_32k").is_none());
}

#[test]
fn changed_files_are_named_after_a_compaction_if_the_agent_goes_on_with_them() {
    let recorded = |path: &str| {
        let mut session = Session::new("claude-sonnet-4-5", 200_000);
        session.user("Rename it.").call(
            "edit_file",
            &json!({ "path": "src/a.rs", "old_string": "a", "new_string": "b" }),
            "ok",
        );
        session
            .work(3, 100)
            .compaction()
            .call("read_file", &json!({ "path": path }), "fn b() {}")
            .work(3, 100)
            .reply("Done.");
        report(&[&session])
    };
    let again = recorded("src/a.rs");
    assert_eq!(again["observed"]["changed_files"], json!({ "compactions": 1, "files": 1, "used_again": 1 }));
    let (outcome, clauses) = suggestion(&again, "remind_of_changed_files").unwrap();
    assert_eq!(outcome, "kept");
    assert!(
        clauses.starts_with("on compaction when files.changed >= 1 do inject ") && clauses.contains("{files.changed}")
    );
    assert_eq!(suggestion(&recorded("src/c.rs"), "remind_of_changed_files"), None);
}

#[test]
fn a_cache_is_cold_by_its_own_lifetime() {
    let recorded = |hour_writes: bool| {
        let mut session = Session::new("claude-sonnet-4-5", 200_000);
        session.hour_writes = hour_writes;
        session
            .user("Look around.")
            .work(40, 900)
            .reply("Done.")
            .pause(1_200)
            .user("Go on.")
            .work(40, 100)
            .reply("Done.");
        report(&[&session])
    };
    let short = recorded(false);
    assert_eq!(short["observed"]["pauses"]["count"], 1);
    let clauses = suggestion(&short, "mask_while_the_cache_is_cold").unwrap().1;
    assert!(clauses.starts_with("when known(cache.warm) and not cache.warm do mask results "), "{clauses}");
    let hour = recorded(true);
    assert_eq!(hour["observed"]["pauses"]["count"], 0);
    assert_eq!(suggestion(&hour, "mask_while_the_cache_is_cold"), None);
}

#[test]
fn a_call_that_polls_is_not_reported_as_repeated() {
    let recorded = |result: fn(usize) -> String| {
        let mut session = Session::new("claude-sonnet-4-5", 200_000);
        session.user("Wait for the build.");
        for at in 0..6 {
            session.call("bash", &json!({ "command": "make status" }), &result(at));
        }
        session.reply("Done.");
        report(&[&session])
    };
    let polls = recorded(|at| format!("{} of 6 steps", at + 1));
    assert_eq!(polls["observed"]["repeated_calls"]["count"], 0);
    assert_eq!(suggestion(&polls, "report_repeated_calls"), None);
    let stuck = recorded(|_| "no rule to make target".to_owned());
    let (outcome, clauses) = suggestion(&stuck, "report_repeated_calls").unwrap();
    assert_eq!((outcome.as_str(), clauses.contains("cycles(period: 1) >= 3")), ("kept", true));
}
