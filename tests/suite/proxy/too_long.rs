//! Requests that a provider rejects as too long.

use trimtab::proxy::Mode;

use super::model::Model;
use super::{plan, post, requests, settings, start, stream, texts};
use crate::endpoint::server::{Step, reply};

const SHORTENS: &str = "edition 2026\npolicy p { rule short { on overflow do mask results keep 1 result } }";
const REJECTION: &str =
    r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#;

/// A model that rejects requests longer than these bytes.
async fn model(most: usize) -> Model {
    Model::start(move |_, received| match received.text() {
        text if text.len() > most => vec![Step::Send(reply(400, "", REJECTION))],
        text => stream(text.matches("\"tool_result\"").count()),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_rejected_as_too_long_is_shortened_and_sent_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let requests = requests(5);
    let model = model(requests[3].len() - 1).await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(SHORTENS)), Mode::Enforce)).await;
    for request in &requests {
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
    }
    assert_eq!(proxy.failures(), Vec::<String>::new());
    let received = texts(&model.received());
    assert_eq!(received[..4], requests[..4]);
    assert!(received[4].len() < received[3].len(), "{}", received[4]);
    assert_eq!(proxy.counters().retried, (received.len() - requests.len()) as u64);
    let statistics = proxy.statistics().into_values().next().unwrap();
    assert!(!statistics.edits_disabled && statistics.firings["short"] == proxy.counters().retried, "{statistics:?}");
    assert_eq!(statistics.replies, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_that_no_rule_answers_reaches_the_client_as_it_is() {
    let idle = "edition 2026\npolicy p { rule idle { on overflow do notify \"too long\" } }";
    for (policy, mode) in [(idle, Mode::Enforce), (SHORTENS, Mode::Observe)] {
        let folder = tempfile::tempdir().unwrap();
        let model = model(10).await;
        let (proxy, address) = start(settings(&model, folder.path(), Some(plan(policy)), mode)).await;
        let answer = post(address, "/v1/messages", "", requests(3)[2].as_bytes()).await;
        assert_eq!((answer.status, String::from_utf8(answer.body).unwrap()), (400, REJECTION.to_owned()));
        assert_eq!((proxy.counters().retried, model.received().len()), (0, 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_rejections_the_client_gets_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(move |number, _| {
        let body = if number == 1 { REJECTION } else { r#"{"error":{"message":"another reason"}}"# };
        vec![Step::Send(reply(400, "", body))]
    })
    .await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(SHORTENS)), Mode::Enforce)).await;
    let answer = post(address, "/v1/messages", "", requests(5)[4].as_bytes()).await;
    assert_eq!((answer.status, String::from_utf8(answer.body).unwrap()), (400, REJECTION.to_owned()));
    assert_eq!((proxy.counters().retried, model.received().len()), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_that_is_longer_than_what_is_read_reaches_the_client_whole() {
    let folder = tempfile::tempdir().unwrap();
    let body = format!("{{\"error\":\"{}\"}}", "no ".repeat(1_000_000));
    let sent = body.clone();
    let model = Model::start(move |_, _| vec![Step::Send(reply(400, "", &sent))]).await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(SHORTENS)), Mode::Enforce)).await;
    let answer = post(address, "/v1/messages", "", requests(3)[2].as_bytes()).await;
    assert_eq!((answer.status, answer.body.len()), (400, body.len()));
    assert!(answer.body == body.as_bytes() && proxy.failures().is_empty());
}
