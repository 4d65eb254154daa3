//! Servers that misbehave while a policy needs a summary: nothing is lost, and the reason is the documented one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use trimtab::{EndpointDialect, EndpointOptions, Engine, LiveRequest};

use super::server::{Server, Step, body as answer, chat, reply};
use super::{KEY, assert_hidden, options, summariser};
use crate::engine::{body, send, session};

/// A part of the base URL that nobody else may see.
const URL_SECRET: &str = "tenant-5c1e77";

/// Options of the documentation, but for the times.
fn impatient() -> EndpointOptions {
    EndpointOptions { retries: 3, attempt_timeout: Duration::from_millis(400), ..options() }
}

/// What the agent sends when this server writes the summaries, and the requests of the server.
async fn run(script: Vec<Vec<Step>>) -> (LiveRequest, Vec<String>) {
    let server = Server::start(script).await;
    let url = format!("{}/{URL_SECRET}", server.url);
    let engine = Engine::new(Arc::new(summariser(&url, EndpointDialect::OpenAi, impatient())));
    let request = send(&session("keep", engine), &body("a", 2)).await;
    (request, server.requests())
}

fn finished(reason: &str) -> Vec<u8> {
    reply(200, "", &json!({"choices": [{"message": {"content": "Half"}, "finish_reason": reason}]}).to_string())
}

fn cut(mut bytes: Vec<u8>, by: usize) -> Vec<u8> {
    bytes.truncate(bytes.len() - by);
    bytes
}

fn scripts() -> Vec<(&'static str, Vec<Step>)> {
    let send = |bytes: Vec<u8>| vec![Step::Send(bytes)];
    let error = |message: &str| json!({"error": {"message": message}}).to_string();
    let mut latin = cut(reply(200, "", "        "), 8);
    latin.extend_from_slice(b"{\"a\":\"\xe9\"");
    let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    vec![
        ("sends nothing for 60 seconds", vec![Step::Hang]),
        ("sends its answer too slowly", vec![Step::Drip(chat("slow"), Duration::from_millis(20))]),
        ("answers 429", send(reply(429, "", &error("slow down")))),
        ("answers 429 with `Retry-After: 600`", send(reply(429, "retry-after: 600\r\n", &error("slow down")))),
        ("answers 500", send(reply(500, "", &error("overloaded")))),
        ("answers 401 and quotes the key", send(reply(401, "", &error(&format!("wrong key {KEY}"))))),
        ("sends JSON that is cut", send(reply(200, "", "{\"choices\":[]"))),
        ("sends a page instead of JSON", send(reply(200, "", "<html>welcome</html>"))),
        ("sends bytes that are not UTF-8", send(latin)),
        ("closes the connection within the answer", send(cut(chat("a long answer that is cut"), 20))),
        ("closes the connection without an answer", vec![]),
        ("sends an empty text", send(chat(" \n"))),
        ("sends a text that is not shorter", send(chat(&"a long story ".repeat(200)))),
        ("ends its answer at the maximum length", send(finished("length"))),
        ("sends more than 1 MiB", vec![Step::Send(head), Step::Repeat(vec![b' '; 4096])]),
    ]
}

/// The rows of the documentation: what the server does, and the reason that is reported.
fn documented() -> Vec<(String, String)> {
    let page = std::fs::read_to_string("docs/summarisers.md").unwrap();
    let rows = page.lines().skip_while(|line| *line != "| the server | reason |").skip(2);
    let cells = |row: &str| {
        let (server, reason) = row.strip_prefix("| ")?.strip_suffix("` |")?.split_once(" | `")?;
        Some((server.to_owned(), reason.replace("60 s", "0.4 s")))
    };
    rows.map_while(cells).collect()
}

#[tokio::test]
async fn a_server_that_misbehaves_costs_nothing_and_the_reason_is_documented() {
    let documented = documented();
    let scripts = scripts();
    assert_eq!(
        documented.iter().map(|(server, _)| server.as_str()).collect::<Vec<_>>(),
        scripts.iter().map(|(server, _)| *server).collect::<Vec<_>>()
    );
    for ((case, script), (_, expected)) in scripts.into_iter().zip(documented) {
        let (request, requests) = run(vec![script]).await;
        assert_eq!(request.prepared.json, body("a", 2), "{case}: the conversation is unchanged");
        assert!(request.prepared.edits.len() == 5 && request.prepared.firings.is_empty(), "{case}");
        let [failed] = request.prepared.failed_summaries.as_slice() else { panic!("{case}: {request:?}") };
        assert_eq!(failed.rule, "s");
        match expected.strip_suffix('…').filter(|start| start.ends_with(": ")) {
            Some(start) => assert!(failed.reason.starts_with(start) && failed.reason.len() > start.len(), "{failed:?}"),
            None => assert_eq!(failed.reason, expected, "{case}"),
        }
        let attempts = if failed.reason.starts_with("4 attempts") { 4 } else { 1 };
        assert_eq!(requests.len(), attempts, "{case}");
        assert_hidden(&format!("{request:?}"));
        assert!(!format!("{request:?}").contains(URL_SECRET), "{case}: {request:?}");
    }
}

#[tokio::test]
async fn a_server_that_recovers_writes_a_summary_of_everything_that_is_removed() {
    let late = vec![Step::Wait(Duration::from_secs(30)), Step::Send(chat("late"))];
    let busy = vec![Step::Send(reply(429, "", "busy"))];
    let busy_for_a_moment = vec![Step::Send(reply(429, "retry-after: 0.1\r\n", "busy"))];
    let broken = vec![Step::Send(reply(500, "", ""))];
    let text = "目录 é 🦀";
    let mut chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n".to_vec();
    for byte in answer(text).bytes() {
        chunked.extend_from_slice(&[b'1', b'\r', b'\n', byte, b'\r', b'\n']);
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    for (first, attempts) in
        [(late, 2), (busy, 2), (busy_for_a_moment, 2), (broken, 2), (vec![], 2), (vec![Step::Send(chunked.clone())], 1)]
    {
        let (request, requests) = run(vec![first, vec![Step::Send(chunked.clone())]]).await;
        assert_eq!((requests.len(), request.prepared.failed_summaries.len()), (attempts, 0), "{requests:?}");
        assert!(request.prepared.json.contains(text), "{}", request.prepared.json);
        for removed in ["question 0", "answer 0", "question 1"] {
            assert!(!request.prepared.json.contains(removed));
            assert!(requests[attempts - 1].contains(removed), "{removed} is part of the summary");
        }
        assert!(request.prepared.json.contains("answer 1") && request.prepared.json.contains("what now?"));
    }
}
