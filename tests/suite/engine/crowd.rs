//! More requests at once than a session follows histories.

use std::sync::Arc;
use std::time::Duration;

use trimtab::{Decision, Engine};

use super::failures::Always;
use super::{Behavior, Scripted, body, send, session};

/// How often the summariser is asked by this many requests at once, all of which are sent.
async fn asked(requests: usize, on_failure: &str, behavior: Behavior) -> usize {
    let summariser = Scripted::new(&[behavior]);
    let engine = Engine::new(summariser.clone()).decider(Arc::new(Always(Decision::Continue, "busy")));
    let session = Arc::new(session(on_failure, engine));
    let tasks: Vec<_> = (0..requests)
        .map(|number| {
            let session = session.clone();
            tokio::spawn(async move {
                let body = body(&format!("topic {number}"), 2);
                let json = send(&session, &body).await.prepared.json;
                assert!(json == body || json.contains("short") && json.contains(&format!("topic {number}: what now?")));
            })
        })
        .collect();
    let all = async {
        for task in tasks {
            task.await.expect("no panic");
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all).await.expect("all requests are sent");
    summariser.asked()
}

#[tokio::test]
async fn many_requests_at_once_ask_each_question_once() {
    assert_eq!(asked(50, "keep", Behavior::Answer("short")).await, 50);
    assert_eq!(asked(50, "retry 2 ask", Behavior::Fail).await, 150);
}

#[test]
fn requests_of_several_threads_ask_each_question_once() {
    let summariser = Scripted::new(&[Behavior::Answer("short")]);
    let session = Arc::new(session("keep", Engine::new(summariser.clone())));
    let thread = |number: usize| {
        let session = session.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
            let body = body(&format!("topic {number}"), 2);
            let json = runtime.block_on(send(&session, &body)).prepared.json;
            assert!(json.contains("short") && json.contains(&format!("topic {number}: what now?")));
        })
    };
    let threads: Vec<_> = (0..40).map(thread).collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
    assert_eq!(summariser.asked(), 40);
}
