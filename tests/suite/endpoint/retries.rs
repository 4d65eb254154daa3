//! Which statuses are tried again, and when.

use std::time::{Duration, Instant};

use trimtab::{EndpointOptions, SummaryError};

use super::server::{Server, Step, chat, reply};
use super::{KEY, ask, options};

fn send(bytes: Vec<u8>) -> Vec<Step> {
    vec![Step::Send(bytes)]
}

#[tokio::test]
async fn statuses_that_may_pass_are_tried_again() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        let server = Server::start(vec![send(reply(status, "", "busy")), send(chat("done"))]).await;
        assert_eq!(ask(&server, options()).await.unwrap().text, "done", "{status}");
        assert_eq!(server.requests().len(), 2, "{status}");
    }
}

#[tokio::test]
async fn statuses_that_stay_are_not_tried_again() {
    for status in [400, 401, 402, 403, 404, 413, 422] {
        let server = Server::start(vec![send(reply(status, "", "no")), send(chat("done"))]).await;
        let error = ask(&server, options()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the server answered with status {status}: no"));
        assert_eq!(server.requests().len(), 1, "{status}");
    }
    let unpaid = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    let server = Server::start(vec![send(reply(429, "", unpaid))]).await;
    let error = ask(&server, options()).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with status 429: You exceeded your current quota");
}

#[tokio::test]
async fn the_error_after_the_last_attempt_counts_them() {
    let server = Server::start(vec![send(reply(500, "", r#"{"error":{"message":"overloaded"}}"#))]).await;
    let error = ask(&server, options()).await.unwrap_err();
    let text = "3 attempts failed, the last one because the server answered with status 500: overloaded";
    assert_eq!(error.to_string(), text);
    assert!(matches!(error, SummaryError::Attempts { attempts: 3, .. }));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn an_error_that_quotes_the_key_is_shown_without_it() {
    let partly = format!("{}***{}", &KEY[..8], &KEY[KEY.len() - 4..]);
    for body in [
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {partly}. See the page."}}}}"#),
        format!("Incorrect API key provided: {KEY}. See the page."),
        format!(r#"{{"detail":"Incorrect API key provided: Bearer {KEY}, sorry"}}"#),
    ] {
        let server = Server::start(vec![send(reply(401, "", &body))]).await;
        let error = ask(&server, options()).await.unwrap_err().to_string();
        assert!(error.contains("status 401: Incorrect API key provided: ") && error.contains('…'), "{error}");
    }
}

#[tokio::test]
async fn retry_after_delays_the_next_attempt() {
    let dates = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:49:38 GMT\r\n";
    for (headers, millis) in [("retry-after: 0.3\r\n", 300), (dates, 1000)] {
        let server = Server::start(vec![send(reply(429, headers, "")), send(chat("done"))]).await;
        let start = Instant::now();
        assert_eq!(ask(&server, options()).await.unwrap().text, "done");
        assert!(start.elapsed() >= Duration::from_millis(millis), "{headers}");
    }
}

#[tokio::test]
async fn a_server_that_asks_to_wait_beyond_the_deadline_is_not_waited_for() {
    let server = Server::start(vec![send(reply(429, "retry-after: 120\r\n", "slow down"))]).await;
    let start = Instant::now();
    let options = EndpointOptions { deadline: Duration::from_secs(60), ..options() };
    let error = ask(&server, options).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with status 429: slow down (it asks to wait 120 s)");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_attempt_that_would_have_no_time_is_not_made() {
    let server = Server::start(vec![send(reply(503, "retry-after: 9\r\n", "")), vec![Step::Hang]]).await;
    let (attempt_timeout, deadline) = (Duration::from_secs(20), Duration::from_secs(10));
    let error = ask(&server, EndpointOptions { attempt_timeout, deadline, ..options() }).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with status 503 (it asks to wait 9 s)");
}
