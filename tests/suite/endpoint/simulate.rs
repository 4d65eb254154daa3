//! `trimtab simulate` with a model of a server.

use std::fs;

use serde_json::json;

use super::server::{Server, Step, chat, reply};
use super::{KEY, assert_hidden};
use crate::cli::{Output, Run};

const POLICY: &str = "edition 2026\npolicy p { rule r { when context.messages >= 3 do summarise all } }\n";

/// Replays some of two recordings with this summariser.
async fn simulate(recordings: &'static str, summariser: String, more: &'static [&'static str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.trim"), POLICY).unwrap();
    for name in ["a.jsonl", "b.jsonl"] {
        let message = |role: &str| json!({"role": role, "content": "words ".repeat(40)}).to_string() + "\n";
        let all: String = ["user", "assistant"].into_iter().cycle().take(6).map(message).collect();
        fs::write(folder.path().join(name), format!("{{\"trimtab\":1}}\n{all}")).unwrap();
    }
    let run = move || {
        let words = format!("simulate p.trim {recordings} -v --width 200 --summariser");
        let run = Run::line(&words).arg(summariser).env("OPENAI_API_KEY", KEY).env("SUMMARY_KEY", KEY);
        let output = more.iter().fold(run, Run::arg).current_dir(folder.path()).output();
        assert_hidden(&format!("{output:?}"));
        output
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn a_model_of_a_server_writes_the_summaries() {
    let server = Server::start(vec![vec![Step::Send(chat("All is well."))]]).await;
    let more = &["--summariser-key", "SUMMARY_KEY", "--contexts", "-"];
    let output = simulate("a.jsonl b.jsonl", format!("openai:m@{}", server.url), more).await;
    assert_eq!((output.code, output.out.matches("All is well.").count() >= 2), (0, true), "{output:?}");
    let requests = server.requests();
    assert!(requests.len() >= 2 && requests.iter().all(|request| request.contains(KEY)), "{requests:?}");
}

#[tokio::test]
async fn the_key_of_the_provider_is_not_sent_to_another_server() {
    let server = Server::start(vec![vec![Step::Send(chat("All is well."))]]).await;
    let output = simulate("a.jsonl b.jsonl", format!("openai:m@{}", server.url), &[]).await;
    assert_eq!(output.code, 0, "{output:?}");
    let requests = server.requests();
    assert!(!requests.is_empty());
    for request in &requests {
        assert_hidden(request);
    }
}

#[tokio::test]
async fn a_server_that_rejects_the_request_fails_the_summary() {
    let server = Server::start(vec![vec![Step::Send(reply(404, "", "no such model"))]]).await;
    for (recordings, start) in [
        ("a.jsonl", "At call 1 the summary of `r` failed: "),
        ("a.jsonl b.jsonl", "4 summaries failed; the first one is that of `r` at call 1 of a.jsonl: "),
    ] {
        let output = simulate(recordings, format!("anthropic:m@{}", server.url), &[]).await;
        let reason = format!("{start}the server answered with status 404: no such model.");
        let one_line = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((output.code, one_line.contains(&reason)), (0, true), "{output:?}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_a_usage_error() {
    for (summariser, more, expected) in [
        ("anthropic:m", &["--summariser-key", "NO_SUCH_VARIABLE"][..], "`NO_SUCH_VARIABLE` is not set"),
        ("openai:m@http://user:pass@127.0.0.1", &[], "must not contain a user"),
        ("extract", &["--summariser-key", "SUMMARY_KEY"], "--summariser-key needs"),
        ("openai:", &[], "expected the name of a model"),
    ] {
        let output = simulate("a.jsonl", summariser.to_owned(), more).await;
        assert_eq!((output.code, output.err.contains(expected)), (2, true), "{summariser}: {output:?}");
    }
}
