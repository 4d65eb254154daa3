//! The live engine: deadlines, dropped futures, overlapping requests, decisions, and failures of what it is given.

mod concurrent_summaries;
mod continued;
mod crowd;
mod facts;
mod failures;
mod hooks;

use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use trimtab::{
    Decide, Decision, DecisionFuture, Dialect, Engine, Host, LiveNext, LiveRequest, LiveSession, LiveUpdate,
    LoadFuture, Plan, Record, RecordFuture, SavedSession, Store, StoreFuture, Summarise, SummaryError, SummaryFuture,
    SummaryRequest, Warning,
};

/// What a summariser does at each request; the last entry is repeated.
#[derive(Clone, Copy)]
enum Behavior {
    Answer(&'static str),
    Fail,
    Hang,
}

struct Scripted {
    behavior: Vec<Behavior>,
    asked: AtomicUsize,
}

impl Scripted {
    fn new(behavior: &[Behavior]) -> Arc<Self> {
        Arc::new(Self { behavior: behavior.to_vec(), asked: AtomicUsize::new(0) })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Summarise for Scripted {
    fn summarise<'a>(&'a self, _: &'a SummaryRequest, _: u64) -> SummaryFuture<'a> {
        Box::pin(async {
            let at = self.asked.fetch_add(1, Ordering::SeqCst);
            // Other tasks run while the summary is written.
            tokio::task::yield_now().await;
            match self.behavior[at.min(self.behavior.len() - 1)] {
                Behavior::Answer(text) => Ok(text.to_owned().into()),
                Behavior::Fail => Err(SummaryError::Other("busy".to_owned())),
                Behavior::Hang => pending().await,
            }
        })
    }
}

const POLICY: &str = "edition 2026\npolicy p {\n  rule s { when context.messages > 4 do summarise older keep 2 messages at_most 100 tokens on_failure FAILURE }\n}\n";

pub(crate) fn session(on_failure: &str, engine: Engine) -> LiveSession {
    let policy = trimtab::compile("p.trim", &POLICY.replace("FAILURE", on_failure));
    LiveSession::new(&policy.plan(None).expect("a plan"), Host::new(), engine, "s")
}

/// A history with a number of turns about a topic.
pub(crate) fn body(topic: &str, turns: usize) -> String {
    let turn = |at: usize| {
        let ask = json!({"role": "user", "content": format!("{topic}: question {at}, {}", "with details ".repeat(15))});
        [ask, json!({"role": "assistant", "content": format!("answer {at}")})]
    };
    let mut messages: Vec<Value> = (0..turns).flat_map(turn).collect();
    messages.push(json!({"role": "user", "content": format!("{topic}: what now?")}));
    json!({"model": "m", "messages": messages}).to_string()
}

pub(crate) async fn send(session: &LiveSession, body: &str) -> LiveRequest {
    match session.before_request(Dialect::OpenAiChat, body, None).await.expect("a request") {
        LiveNext::Send(request) => request,
        next => panic!("{next:?}"),
    }
}

#[tokio::test]
async fn a_summary_after_the_deadline_has_failed_and_the_policy_goes_on() {
    let summariser = Scripted::new(&[Behavior::Hang]);
    let engine = Engine::new(summariser.clone()).deadline(Duration::from_millis(5));
    let session = session("retry 1 keep", engine);
    let sent = send(&session, &body("a", 2)).await;
    assert_eq!(sent.prepared.json, body("a", 2), "nothing is edited");
    assert_eq!(summariser.asked(), 2);
}

#[tokio::test]
async fn summaries_may_have_a_deadline_of_their_own() {
    let engine = Engine::new(Scripted::new(&[Behavior::Hang])).deadline(Duration::from_secs(60));
    let session = session("keep", engine.summary_deadline(Duration::from_millis(5)));
    let sent = send(&session, &body("a", 2)).await.prepared;
    let failed: Vec<&str> = sent.failed_summaries.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(failed, ["no answer within 0.005 s"]);
}

#[tokio::test]
async fn a_dropped_request_asks_again_and_loses_nothing() {
    let summariser = Scripted::new(&[Behavior::Hang, Behavior::Answer("short")]);
    let session = session("keep", Engine::new(summariser.clone()));
    let text = body("a", 2);
    let first = session.before_request(Dialect::OpenAiChat, &text, None);
    assert!(tokio::time::timeout(Duration::from_millis(5), first).await.is_err());
    let sent = send(&session, &text).await;
    assert!(sent.prepared.json.contains("short") && sent.prepared.json.contains("what now?"), "{}", sent.prepared.json);
    assert_eq!(send(&session, &text).await.prepared.json, sent.prepared.json, "a retry sends the same bytes");
    assert_eq!(summariser.asked(), 2);
}

#[tokio::test]
async fn overlapping_requests_are_branches_and_each_reply_finds_its_own() {
    let session = session("keep", Engine::new(Scripted::new(&[Behavior::Answer("short")])));
    let (texts, mut sent) = ([body("a", 2), body("b", 2)], Vec::new());
    let (one, other) = tokio::join!(send(&session, &texts[0]), send(&session, &texts[1]));
    sent.extend([one, other]);
    for (request, topic) in sent.iter().zip(["a", "b"]) {
        assert!(
            request.prepared.json.contains("short") && request.prepared.json.contains(&format!("{topic}: what now?"))
        );
    }
    // The replies come in the other order.
    for at in [1, 0] {
        let reply = json!({"role": "assistant", "content": format!("reply {at}")}).to_string();
        assert_eq!(session.after_reply(&sent[at], &reply, None).await.expect("a reply"), LiveUpdate::default());
    }
    for (at, text) in texts.iter().enumerate() {
        let mut body: Value = serde_json::from_str(text).expect("JSON");
        let messages = body["messages"].as_array_mut().expect("a list");
        messages.push(json!({"role": "assistant", "content": format!("reply {at}")}));
        messages.push(json!({"role": "user", "content": "Go on."}));
        let next = send(&session, &body.to_string()).await;
        assert!(next.prepared.json.contains("short") && next.prepared.json.contains(&format!("reply {at}")));
        assert!(next.prepared.firings.iter().all(|firing| firing.edits <= 1));
    }
}

#[tokio::test]
async fn the_same_request_twice_at_once_is_sent_twice_with_the_same_bytes() {
    let summariser = Scripted::new(&[Behavior::Answer("first"), Behavior::Answer("second")]);
    let session = session("keep", Engine::new(summariser.clone()));
    let text = body("a", 2);
    let (one, other) = tokio::join!(send(&session, &text), send(&session, &text));
    assert_eq!(one.prepared.json, other.prepared.json);
    assert_eq!(summariser.asked(), 2, "both have asked before there was an answer");
}

struct Retries(Mutex<Vec<String>>);

impl Decide for Retries {
    fn decide<'a>(&'a self, reason: &'a str) -> DecisionFuture<'a> {
        Box::pin(async move {
            let mut reasons = self.0.lock().expect("no panic");
            reasons.push(reason.to_owned());
            if reasons.len() < 3 { Decision::Retry } else { Decision::Continue }
        })
    }
}

#[tokio::test]
async fn a_person_decides_whether_a_failed_summary_is_tried_again() {
    let decider = Arc::new(Retries(Mutex::default()));
    let summariser = Scripted::new(&[Behavior::Fail, Behavior::Fail, Behavior::Answer("short")]);
    let retried = session("ask", Engine::new(summariser).decider(decider.clone()));
    assert!(send(&retried, &body("a", 2)).await.prepared.json.contains("short"));
    assert_eq!(*decider.0.lock().expect("no panic"), ["busy", "busy"]);

    let decider = Arc::new(Retries(Mutex::default()));
    let given_up = session("ask", Engine::new(Scripted::new(&[Behavior::Fail])).decider(decider.clone()));
    assert_eq!(send(&given_up, &body("a", 2)).await.prepared.json, body("a", 2));
    assert_eq!(decider.0.lock().expect("no panic").len(), 3);

    let nobody = session("ask", Engine::new(Scripted::new(&[Behavior::Fail])));
    assert_eq!(send(&nobody, &body("a", 2)).await.prepared.json, body("a", 2));
}

/// Keeps what it is given in memory, or fails.
#[derive(Default)]
struct Disk {
    /// The recordings by branch.
    lines: Mutex<BTreeMap<u64, String>>,
    saved: Mutex<Option<SavedSession>>,
    is_full: AtomicBool,
}

impl Disk {
    fn recordings(&self) -> BTreeMap<u64, String> {
        self.lines.lock().expect("no panic").clone()
    }

    async fn result(&self) -> io::Result<()> {
        tokio::task::yield_now().await;
        if self.is_full.load(Ordering::SeqCst) { Err(io::Error::other("no space")) } else { Ok(()) }
    }
}

impl Record for Disk {
    fn write<'a>(&'a self, _: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a> {
        Box::pin(async move {
            self.result().await?;
            let mut recordings = self.lines.lock().expect("no panic");
            let recording = recordings.entry(branch).or_default();
            recording.truncate(usize::try_from(at).expect("a length"));
            assert_eq!(recording.len() as u64, at, "the recording is as long as the session says");
            recording.push_str(lines);
            Ok(())
        })
    }
}

impl Store for Disk {
    fn save<'a>(&'a self, _: &'a str, saved: &'a SavedSession) -> StoreFuture<'a> {
        Box::pin(async move {
            self.result().await?;
            *self.saved.lock().expect("no panic") = Some(saved.clone());
            Ok(())
        })
    }

    fn load<'a>(&'a self, _: &'a str) -> LoadFuture<'a> {
        Box::pin(async move {
            self.result().await?;
            Ok(self.saved.lock().expect("no panic").clone())
        })
    }
}

const FULL: [&str; 2] = ["the session could not be recorded: no space", "the session could not be saved: no space"];

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_full_disk_does_not_stop_the_agent_and_nothing_is_lost_once_there_is_space() {
    let disk = Arc::new(Disk::default());
    disk.is_full.store(true, Ordering::SeqCst);
    let engine = Engine::new(Scripted::new(&[Behavior::Answer("short")])).recorder(disk.clone()).store(disk.clone());
    let session = session("keep", engine);
    let sent = send(&session, &body("a", 2)).await;
    assert!(sent.prepared.json.contains("short"));
    assert_eq!(texts(&sent.warnings), FULL);
    let reply = json!({"role": "assistant", "content": "Done."}).to_string();
    assert_eq!(texts(&session.after_reply(&sent, &reply, None).await.expect("a reply").warnings), FULL);
    assert_eq!(texts(&session.flush().await), FULL);

    disk.is_full.store(false, Ordering::SeqCst);
    assert_eq!(session.after_reply(&sent, &reply, None).await.expect("a reply"), LiveUpdate::default());
    assert_eq!(session.flush().await, []);
    let recording = disk.recordings().remove(&0).expect("a recording");
    assert!(recording.starts_with("{\"trimtab\":1"), "{recording}");
    for text in ["a: question 0", "short", "a: what now?", "Done."] {
        assert_eq!(recording.matches(text).count(), 1, "{text}: {recording}");
    }
    assert!(disk.saved.lock().expect("no panic").is_some());
}

#[test]
fn futures_of_a_live_session_can_move_between_threads() {
    fn assert_send<T: Send>(_: &T) {}
    let session = session("keep", Engine::new(Scripted::new(&[Behavior::Fail])));
    let text = body("a", 1);
    assert_send(&session);
    assert_send(&session.before_request(Dialect::OpenAiChat, &text, None));
    assert_send(&session.flush());
}

/// Compiles only if all futures of the public API are `Send`.
#[expect(dead_code, reason = "it is compiled and never run")]
async fn all_futures_can_move_between_threads(
    session: &LiveSession,
    request: &LiveRequest,
    plan: &Plan,
    engine: Engine,
) {
    fn sent<T: Send>(future: T) -> T {
        future
    }
    let _ = sent(session.before_request(Dialect::OpenAiChat, "", None)).await;
    let _ = sent(session.after_reply(request, "", None)).await;
    let _ = sent(session.add(request, "", None)).await;
    let _ = sent(session.end_iteration(request)).await;
    let _ = sent(session.flush()).await;
    let _ = sent(LiveSession::open(plan, Host::new(), engine, "")).await;
}
