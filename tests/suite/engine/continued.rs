//! Sessions that another process continues from a store.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use trimtab::{
    Dialect, Engine, Host, LiveNext, LiveRequest, LiveSession, OpenError, Plan, RestoreError, Summarise, SummaryFuture,
    SummaryRequest,
};

use super::{Disk, send};

const POLICY: &str = "edition 2026
policy p {
  rule sum { when context.messages > 11 do summarise older keep 3 messages at_most 100 tokens on_failure keep }
  rule masking { on reply when context.results > 1 do mask results keep 1 result }
  rule count { on iteration_end every 3 iterations do notify \"three iterations\" }
}
";

/// Summaries depend on the request only.
struct ByLength;

impl Summarise for ByLength {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, _: u64) -> SummaryFuture<'a> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(format!("sum of {}", request.transcript.len()).into())
        })
    }
}

/// Where the process ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Never,
    AfterRequest,
    AfterReply,
    AfterResults,
    AfterIteration,
    /// Before the request is sent, so that the next process prepares it again.
    BeforeSending,
    /// While the request is prepared: when it has waited so many times, for answers or for the disk.
    AfterWaits(usize),
    /// While a summary is being written. The state with the open question was saved.
    DuringSummary,
    /// The same, but the state was saved before the question.
    DuringUnsavedSummary,
}

fn plan() -> Plan {
    trimtab::compile("p.trim", POLICY).plan(None).expect("a plan")
}

async fn open(disk: &Arc<Disk>) -> LiveSession {
    let engine = Engine::new(Arc::new(ByLength)).recorder(disk.clone()).store(disk.clone());
    LiveSession::open(&plan(), Host::new(), engine, "s").await.expect("a session")
}

/// What an agent sends in six turns, and what is recorded. At the given moment of each turn its process ends.
async fn run(end: End) -> (Vec<String>, Disk) {
    let disk = Arc::new(Disk::default());
    let mut session = open(&disk).await;
    let (mut messages, mut sent) = (Vec::<Value>::new(), Vec::new());
    for turn in 0..6 {
        messages.push(json!({"role": "user", "content": format!("question {turn}, {}", "with details ".repeat(20))}));
        let body = json!({"messages": messages}).to_string();
        if matches!(end, End::DuringSummary | End::DuringUnsavedSummary) {
            let request = session.before_request(Dialect::OpenAiChat, &body, None);
            let flush = async {
                tokio::time::sleep(Duration::from_millis(5)).await;
                if end == End::DuringSummary {
                    assert_eq!(session.flush().await, []);
                }
            };
            tokio::select! { biased; next = request => drop(next), () = flush => {} }
            session = open(&disk).await;
        }
        if let End::AfterWaits(limit) = end {
            abandon(session.before_request(Dialect::OpenAiChat, &body, None), limit).await;
            session = open(&disk).await;
        }
        if end == End::BeforeSending {
            send(&session, &body).await;
            session = open(&disk).await;
        }
        let request = send(&session, &body).await;
        assert_eq!(request.warnings, []);
        sent.push(request.prepared.json.to_string());
        if end == End::AfterRequest {
            session = open(&disk).await;
        }
        session = report(session, &disk, &request, &mut messages, turn, end).await;
    }
    drop(session);
    (sent, Arc::into_inner(disk).expect("the session is gone"))
}

/// Polls a future until it has waited so many times, and drops it.
async fn abandon(future: impl Future, limit: usize) {
    let (mut future, mut waits) = (std::pin::pin!(future), 0);
    std::future::poll_fn(|context| {
        waits += 1;
        if future.as_mut().poll(context).is_ready() || waits > limit { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Reports the reply and the result of a turn.
async fn report(
    mut session: LiveSession,
    disk: &Arc<Disk>,
    request: &LiveRequest,
    messages: &mut Vec<Value>,
    turn: usize,
    end: End,
) -> LiveSession {
    let call = json!({"id": format!("c{turn}"), "type": "function", "function": {"name": "read", "arguments": "{}"}});
    let reply = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let usage = json!({"prompt_tokens": 300 + turn, "completion_tokens": 5});
    let body = json!({"choices": [{"message": reply}], "usage": usage}).to_string();
    drop(session.after_reply(request, &body, None).await.expect("a reply"));
    if end == End::AfterReply {
        session = open(disk).await;
    }
    let result = json!({"role": "tool", "tool_call_id": format!("c{turn}"), "content": "line ".repeat(60 + turn)});
    drop(session.add(request, &json!([result]).to_string(), None).await.expect("results"));
    if end == End::AfterResults {
        session = open(disk).await;
    }
    drop(session.end_iteration(request).await.expect("an end"));
    if end == End::AfterIteration {
        session = open(disk).await;
    }
    messages.extend([reply, result]);
    session
}

#[tokio::test]
async fn a_stored_session_continues_with_the_same_bytes_and_one_recording() {
    let (sent, disk) = run(End::Never).await;
    assert!(sent.iter().any(|json| json.contains("sum of")) && sent.iter().any(|json| json.contains("[tool")));
    let recordings = disk.recordings();
    assert_eq!(recordings.keys().collect::<Vec<_>>(), [&0]);
    assert!(recordings[&0].contains("sum of") && recordings[&0].contains("question 5"));
    // A request waits for the summary, its recording and its state, so the last ones end after it.
    let waits = (0..5).map(End::AfterWaits);
    let ends = [
        End::BeforeSending,
        End::AfterRequest,
        End::AfterReply,
        End::AfterResults,
        End::AfterIteration,
        End::DuringSummary,
        End::DuringUnsavedSummary,
    ];
    for end in waits.chain(ends) {
        let (sent_again, disk) = run(end).await;
        assert_eq!(sent_again, sent, "{end:?}");
        assert_eq!(disk.recordings(), recordings, "{end:?}");
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_opened_says_why() {
    let (_, disk) = run(End::Never).await;
    let disk = Arc::new(disk);
    let engine = || Engine::new(Arc::new(ByLength)).store(disk.clone());
    let other = trimtab::compile("p.trim", "edition 2026\npolicy q { rule r { do mask results } }").plan(None);
    let error = LiveSession::open(&other.expect("a plan"), Host::new(), engine(), "s").await.err().expect("an error");
    assert!(matches!(error, OpenError::Restore(RestoreError::Plan(_))));
    let text = format!("the session was saved under another plan, with the hash {}", plan().hash());
    assert_eq!(error.to_string(), text);

    disk.is_full.store(true, Ordering::SeqCst);
    let error = LiveSession::open(&plan(), Host::new(), engine(), "s").await.err().expect("an error");
    assert_eq!(error.to_string(), "the stored session cannot be loaded: no space");
}

#[tokio::test]
async fn a_request_of_another_session_is_an_error() {
    let new = |id: &str| LiveSession::new(&plan(), Host::new(), Engine::new(Arc::new(ByLength)), id);
    let (one, other) = (new("one"), new("other"));
    let body = json!([{"role": "user", "content": "Go."}]).to_string();
    let request = send(&one, &body).await;
    assert!(matches!(other.before_request(Dialect::OpenAiChat, &body, None).await, Ok(LiveNext::Send(_))));
    let reply = json!({"role": "assistant", "content": "Done."}).to_string();
    let error = other.after_reply(&request, &reply, None).await.unwrap_err();
    assert_eq!(error.to_string(), "expected a request of this session");
    assert!(one.after_reply(&request, &reply, None).await.is_ok());
}
