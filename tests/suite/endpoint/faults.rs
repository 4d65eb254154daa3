//! Servers that misbehave.

use std::time::{Duration, Instant};

use trimtab::{EndpointDialect, EndpointOptions, SummaryError};

use super::server::{Server, Step, body, chat, reply};
use super::{ask, ask_as, options};

/// Attempts that end soon.
fn impatient() -> EndpointOptions {
    EndpointOptions { attempt_timeout: Duration::from_millis(150), ..options() }
}

/// An answer in chunks that end in the middle of characters.
fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut all = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n".to_vec();
    for chunk in body.chunks(size) {
        all.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        all.extend_from_slice(chunk);
        all.extend_from_slice(b"\r\n");
    }
    all.extend_from_slice(b"0\r\n\r\n");
    all
}

#[tokio::test]
async fn headers_that_are_late_end_the_attempt_and_the_next_one_succeeds() {
    let late = vec![Step::Wait(Duration::from_secs(30)), Step::Send(chat("late"))];
    let server = Server::start(vec![late, vec![Step::Send(chat("in time"))]]).await;
    let options = EndpointOptions { attempt_timeout: Duration::from_millis(500), ..options() };
    assert_eq!(ask(&server, options).await.unwrap().text, "in time");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn an_answer_byte_by_byte_is_complete() {
    let server = Server::start(vec![vec![Step::Drip(chat("grüße 目录"), Duration::from_micros(100))]]).await;
    assert_eq!(ask(&server, options()).await.unwrap().text, "grüße 目录");
}

#[tokio::test]
async fn an_answer_that_drips_too_slowly_is_a_timeout() {
    let server = Server::start(vec![vec![Step::Drip(chat("slow"), Duration::from_millis(20))]]).await;
    let error = ask(&server, EndpointOptions { retries: 1, ..impatient() }).await.unwrap_err();
    assert_eq!(error.last(), &SummaryError::Timeout(Duration::from_millis(150)));
    assert_eq!(error.to_string(), "2 attempts failed, the last one because no answer within 0.15 s");
}

#[tokio::test]
async fn a_server_that_hangs_ends_at_the_deadline() {
    let server = Server::start(vec![vec![Step::Hang]]).await;
    let start = Instant::now();
    let deadline = Duration::from_millis(400);
    let error = ask(&server, EndpointOptions { deadline, retries: 100, ..impatient() }).await.unwrap_err();
    assert!(matches!(error.last(), SummaryError::Timeout(limit) if *limit <= Duration::from_millis(150)), "{error}");
    assert!(start.elapsed() >= Duration::from_millis(300) && start.elapsed() < Duration::from_secs(10));
    assert!((2..=4).contains(&server.requests().len()), "{}", server.requests().len());
}

#[tokio::test]
async fn characters_may_be_split_over_chunks() {
    for size in [1, 2, 3, 7] {
        let server = Server::start(vec![vec![Step::Send(chunked(body("目录 é 🦀").as_bytes(), size))]]).await;
        assert_eq!(ask(&server, options()).await.unwrap().text, "目录 é 🦀");
    }
}

#[tokio::test]
async fn a_broken_body_is_an_error_and_is_not_requested_again() {
    let page = "<html>welcome</html>";
    for broken in ["{\"choices\": [{\"message\"", page, "", "[]", "null", "{}", "{\"choices\":[]}", "{\"choices\":[7]}"]
    {
        let server = Server::start(vec![vec![Step::Send(reply(200, "", broken))]]).await;
        let error = ask(&server, options()).await.unwrap_err();
        assert!(matches!(error, SummaryError::Invalid(_)), "{broken}: {error:?}");
        assert_eq!(server.requests().len(), 1, "{broken}");
    }
    let mut latin = reply(200, "", "        ");
    latin.truncate(latin.len() - 8);
    latin.extend_from_slice(b"{\"a\":\"\xe9\"");
    let server = Server::start(vec![vec![Step::Send(latin)]]).await;
    let error = ask(&server, options()).await.unwrap_err();
    assert_eq!(error.to_string(), "the answer is invalid: it is not UTF-8 text");
}

#[tokio::test]
async fn a_connection_that_is_closed_in_the_middle_is_tried_again() {
    let mut cut = chat("a long answer that is cut");
    cut.truncate(cut.len() - 20);
    let cut = vec![Step::Send(cut)];
    let server = Server::start(vec![cut.clone(), vec![Step::Send(chat("whole"))]]).await;
    assert_eq!(ask(&server, options()).await.unwrap().text, "whole");
    let server = Server::start(vec![cut]).await;
    let error = ask(&server, options()).await.unwrap_err();
    assert!(matches!(error.last(), SummaryError::Connection(_)), "{error:?}");
    assert_eq!(server.requests().len(), 3);
    let closed = Server::start(vec![vec![]]).await;
    let error = ask(&closed, options()).await.unwrap_err();
    assert!(
        error.to_string().starts_with("3 attempts failed, the last one because the connection failed: "),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_connection_error_without_its_address() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = ask_as(EndpointDialect::Anthropic, &format!("http://{address}"), options()).await.unwrap_err();
    assert!(matches!(error.last(), SummaryError::Connection(_)), "{error:?}");
    assert!(!error.to_string().contains("http://"), "{error}");
}

#[tokio::test]
async fn a_huge_body_is_not_read_to_its_end() {
    let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    let server = Server::start(vec![vec![Step::Send(head), Step::Repeat(vec![b' '; 4096])]]).await;
    let error = ask(&server, EndpointOptions { max_answer: 100_000, ..options() }).await.unwrap_err();
    assert_eq!(error, SummaryError::TooLong(100_000));
    let head = b"HTTP/1.1 500 Oops\r\nconnection: close\r\n\r\n".to_vec();
    let server = Server::start(vec![vec![Step::Send(head), Step::Repeat(vec![b'x'; 4096])]]).await;
    let error = ask(&server, EndpointOptions { retries: 0, ..options() }).await.unwrap_err();
    assert!(matches!(&error, SummaryError::Status { status: 500, message, .. } if message.len() < 400), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_so_that_the_key_stays_with_its_server() {
    for status in [301, 302, 303, 307, 308] {
        let other = Server::start(vec![vec![Step::Send(chat("stolen"))]]).await;
        let location = format!("location: {}/v1/chat/completions\r\n", other.url);
        let server = Server::start(vec![vec![Step::Send(reply(status, &location, ""))]]).await;
        let error = ask(&server, options()).await.unwrap_err();
        let expected = format!("the server answered with status {status}: redirects are not followed");
        assert_eq!(error.to_string(), expected);
        assert!(other.requests().is_empty());
    }
}

#[tokio::test]
async fn a_cancelled_summary_closes_the_connection() {
    let server = Server::start(vec![vec![Step::Hang]]).await;
    let asked = tokio::time::timeout(Duration::from_millis(200), ask(&server, options())).await;
    assert!(asked.is_err());
    assert_eq!(server.requests().len(), 1);
}
