//! Summaries that fail, are late or never end, under each form of `on_failure`.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use trimtab::{
    Decide, Decision, DecisionFuture, Dialect, Engine, LiveNext, LiveSession, Summarise, SummaryFuture, SummaryRequest,
};

use super::Behavior::{Answer, Fail, Hang};
use super::{Behavior, Scripted, body, send, session};

/// Gives the same answer to each question, after checking its reason.
pub(super) struct Always(pub(super) Decision, pub(super) &'static str);

impl Decide for Always {
    fn decide<'a>(&'a self, reason: &'a str) -> DecisionFuture<'a> {
        assert_eq!(reason, self.1);
        Box::pin(async { self.0 })
    }
}

/// A person who does not answer.
struct Away;

impl Decide for Away {
    fn decide<'a>(&'a self, _: &'a str) -> DecisionFuture<'a> {
        Box::pin(std::future::pending())
    }
}

/// What becomes of a request whose summary fails.
#[derive(Debug, PartialEq)]
enum Fate {
    /// It is sent as it was given.
    Unchanged,
    /// It contains this and the whole of the conversation.
    Added(&'static str),
    /// It contains the summary.
    Summarised,
    Stopped,
}
use Fate::{Added, Stopped, Summarised, Unchanged};

const LATE: &str = "no answer within 0.02 s";

/// How often the summariser is asked, and what becomes of the request.
async fn outcome(
    on_failure: &str,
    behavior: &[Behavior],
    engine: impl FnOnce(Engine) -> Engine,
    reason: &str,
) -> (usize, Fate) {
    let summariser = Scripted::new(behavior);
    let session = session(on_failure, engine(Engine::new(summariser.clone()).deadline(Duration::from_millis(20))));
    let text = body("a", 2);
    let next = session.before_request(Dialect::OpenAiChat, &text, None).await.expect("a request");
    let asked = summariser.asked();
    let request = match next {
        LiveNext::Send(request) => request.prepared,
        LiveNext::Stop { rule, reason: why, .. } => {
            assert_eq!((rule.as_str(), why), ("s", format!("a summary failed: {reason}")));
            return (asked, Stopped);
        }
        next => panic!("{next:?}"),
    };
    let failed: Vec<_> = request.failed_summaries.iter().map(|one| (one.rule.as_str(), one.reason.as_str())).collect();
    if request.json.contains("short") {
        assert_eq!(failed, []);
        return (asked, Summarised);
    }
    assert_eq!(failed, [("s", reason)], "{on_failure}");
    if request.json == text {
        return (asked, Unchanged);
    }
    assert!(request.json.starts_with(text.trim_end_matches("]}").split("\"messages\"").next().unwrap()));
    for turn in ["question 0", "answer 0", "question 1", "answer 1", "what now?"] {
        assert!(request.json.contains(turn), "{turn}: {}", request.json);
    }
    assert!(request.json.contains("Be brief."));
    (asked, Added("Be brief."))
}

#[tokio::test]
async fn each_form_of_on_failure_decides_after_the_deadline() {
    let plain = |engine: Engine| engine;
    for (on_failure, asked, fate) in [
        ("keep", 1, Unchanged),
        ("retry 3 keep", 4, Unchanged),
        ("stop", 1, Stopped),
        ("retry 1 stop", 2, Stopped),
        ("ask", 1, Unchanged),
        ("then inject \"Be brief.\"", 1, Added("Be brief.")),
        ("retry 2 then inject \"Be brief.\"", 3, Added("Be brief.")),
    ] {
        assert_eq!(outcome(on_failure, &[Hang], plain, LATE).await, (asked, fate), "{on_failure}");
    }
    for (behavior, asked, fate) in
        [(&[Hang, Fail, Answer("short")][..], 3, Summarised), (&[Hang, Hang, Fail, Answer("short")], 3, Stopped)]
    {
        assert_eq!(outcome("retry 2 stop", behavior, plain, "busy").await, (asked, fate));
    }
}

#[tokio::test]
async fn a_person_may_retry_continue_or_not_answer() {
    let asks = |decider: Arc<dyn Decide>| move |engine: Engine| engine.decider(decider);
    let retry = asks(Arc::new(Always(Decision::Retry, LATE)));
    assert_eq!(outcome("ask", &[Hang, Hang, Answer("short")], retry, LATE).await, (3, Summarised));
    let give_up = asks(Arc::new(Always(Decision::Continue, "busy")));
    assert_eq!(outcome("retry 1 ask", &[Hang, Fail], give_up, "busy").await, (2, Unchanged));
    assert_eq!(outcome("ask", &[Hang], asks(Arc::new(Away)), LATE).await, (1, Unchanged));
}

#[tokio::test]
async fn a_summary_that_cannot_be_used_has_failed() {
    let long: &'static str = Box::leak("a long story ".repeat(200).into_boxed_str());
    for (text, reason) in [
        ("", "the summary is empty"),
        (" \n ", "the summary is empty"),
        (long, "the summary has 517 characters, the messages that it would replace have 428"),
    ] {
        let plain = |engine: Engine| engine;
        assert_eq!(outcome("keep", &[Answer(text)], plain, reason).await, (1, Unchanged), "{text:?}");
        assert_eq!(outcome("stop", &[Answer(text)], plain, reason).await, (1, Stopped), "{text:?}");
    }
}

/// Panics at the first request.
struct Panics(Arc<Scripted>);

impl Summarise for Panics {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, number: u64) -> SummaryFuture<'a> {
        Box::pin(async move {
            let answer = self.0.summarise(request, number).await;
            assert!(self.0.asked() > 1, "a bug in the summariser of the host");
            answer
        })
    }
}

#[tokio::test]
async fn a_panic_of_the_summariser_does_not_poison_the_session() {
    let scripted = Scripted::new(&[Answer("short")]);
    let session: Arc<LiveSession> = Arc::new(session("keep", Engine::new(Arc::new(Panics(scripted.clone())))));
    let task = tokio::spawn({
        let session = AssertUnwindSafe(session.clone());
        async move {
            let session = session;
            send(&session, &body("a", 2)).await
        }
    });
    assert!(task.await.is_err_and(|error| error.is_panic()));
    let sent = send(&session, &body("a", 2)).await;
    assert!(sent.prepared.json.contains("short") && sent.prepared.json.contains("what now?"), "{}", sent.prepared.json);
    assert_eq!(scripted.asked(), 2, "the same question is asked again");
    assert_eq!(session.flush().await, []);
}

#[test]
fn the_library_starts_no_runtime() {
    // Outside of a runtime: what needs none works, and without a deadline no timer is needed.
    let session = session("keep", Engine::new(Arc::new(trimtab::ConstantSummariser("short".to_owned()))));
    let text = body("a", 2);
    let mut request = std::pin::pin!(session.before_request(Dialect::OpenAiChat, &text, None));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(next) = request.as_mut().poll(&mut context) else { panic!("nothing is awaited") };
    assert!(matches!(next, Ok(LiveNext::Send(request)) if request.prepared.json.contains("short")));
}
