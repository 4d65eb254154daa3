//! Summaries of single results, which are written at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use trimtab::{Engine, Host, LiveSession, Summarise, SummaryError, SummaryFuture, SummaryRequest};

use super::{Disk, send};

/// How long a summary takes.
const TIME: Duration = Duration::from_secs(10);

/// Counts the summaries that are being written. One of the result `odd 3` always fails.
#[derive(Default)]
struct Busy {
    now: AtomicUsize,
    most: AtomicUsize,
    asked: AtomicUsize,
}

impl Summarise for Busy {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, _: u64) -> SummaryFuture<'a> {
        Box::pin(async {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(TIME).await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            let number = (0..6).find(|number| request.transcript.contains(&format!("odd {number}"))).expect("a result");
            if number == 3 { Err(SummaryError::Empty) } else { Ok(format!("short {number}").into()) }
        })
    }
}

/// A history with so many results of one reply.
fn history(results: usize) -> String {
    let call = |number: usize| json!({ "id": format!("c{number}"), "type": "function", "function": { "name": "read", "arguments": "{}" } });
    let calls: Vec<Value> = (0..results).map(call).collect();
    let mut messages = vec![
        json!({ "role": "user", "content": "Go." }),
        json!({ "role": "assistant", "content": null, "tool_calls": calls }),
    ];
    messages.extend((0..results).map(|number| {
        let text = format!("odd {number} {}", "and a long text ".repeat(40));
        json!({ "role": "tool", "tool_call_id": format!("c{number}"), "content": text })
    }));
    json!({ "messages": messages }).to_string()
}

/// The request that is sent, and how long it took, under a policy with this failure action.
async fn run(busy: &Arc<Busy>, at_once: Option<usize>, on_failure: &str) -> (String, Duration, String) {
    let policy = format!(
        "edition 2026\npolicy p {{ rule r {{ do summarise results over 100 chars at_most 50 tokens keep 0 results \
         on_failure {on_failure} }} }}"
    );
    let plan = trimtab::compile("p.trim", &policy).plan(None).expect("a plan");
    let disk = Arc::new(Disk::default());
    let engine = Engine::new(busy.clone()).recorder(disk.clone());
    let engine = at_once.into_iter().fold(engine, Engine::summaries_at_once);
    let session = LiveSession::open(&plan, Host::new(), engine, "s").await.expect("a session");
    let begun = tokio::time::Instant::now();
    let request = send(&session, &history(6)).await;
    let reply = json!({ "choices": [{ "message": { "role": "assistant", "content": "Done." } }] }).to_string();
    drop(session.after_reply(&request, &reply, None).await.expect("a reply"));
    (request.prepared.json.to_string(), begun.elapsed(), disk.recordings()[&0].clone())
}

#[tokio::test(start_paused = true)]
async fn summaries_of_results_are_written_at_the_same_time_within_a_limit() {
    for (limit, most, rounds) in [(None, 4, 2), (Some(2), 2, 3), (Some(100), 6, 1), (Some(0), 1, 6)] {
        let busy = Arc::new(Busy::default());
        let (sent, took, recording) = run(&busy, limit, "keep").await;
        let count = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        assert_eq!((count(&busy.most), count(&busy.asked)), (most, 6), "{limit:?}");
        assert!(took >= TIME * rounds && took < TIME * (rounds + 1), "{took:?}");
        for number in 0..6 {
            let is_short = sent.contains(&format!("[summary of the tool result for read]\\nshort {number}\""));
            assert_eq!((is_short, sent.contains(&format!("odd {number}"))), (number != 3, number == 3), "{number}");
            assert_eq!(recording.contains(&format!("short {number}")), number != 3);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_is_tried_again_is_written_again() {
    let busy = Arc::new(Busy::default());
    let (sent, ..) = run(&busy, Some(100), "retry 2 keep").await;
    assert_eq!(busy.asked.load(Ordering::SeqCst), 8);
    assert!(sent.contains("odd 3") && sent.contains("short 4") && sent.contains("short 5"));
}
