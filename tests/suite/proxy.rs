//! The proxy between a client and a model, both on loopback: bytes, edits, restarts, rejections, and what it refuses.

mod bill;
mod experiment;
mod gemini;
mod law;
mod model;
mod offload;
mod too_long;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use trimtab::proxy::{DEADLINE, Mode, PassReason, Provider, Proxy, Settings, Upstreams};
use trimtab::simulate::{Extract, Options, replay};
use trimtab::{Dialect, Host, Next, Plan, Session, Summarise, SummaryFuture, SummaryRequest, transcript};

use self::model::{Model, Received, unchunked};
use crate::endpoint::server::{Step, reply};

const POLICY: &str = "edition 2026\npolicy p {\n  rule cut { do trim arrivals over 400 chars to 200 chars }\n  \
                      rule old { when context.results >= 3 do mask results keep 1 result at_least 0 tokens }\n}\n";

fn plan(text: &str) -> Plan {
    trimtab::compile("p.trim", text).plan(None).expect("a plan")
}

fn settings(model: &Model, state: &Path, policy: Option<Plan>, mode: Mode) -> Settings {
    let mut upstreams = Upstreams::default();
    for name in ["anthropic", "openai", "gemini"] {
        upstreams.set(Provider::named(name).unwrap(), &model.url).unwrap();
    }
    Settings {
        policy,
        mode,
        experiment: None,
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        token: None,
        upstreams,
        state: state.join("state"),
        record: Some(state.join("recordings")),
        summariser: Arc::new(Extract),
        summary_timeout: DEADLINE,
        confirms: false,
        host: Host::new(),
    }
}

/// A proxy that listens, and its address.
async fn start(settings: Settings) -> (Arc<Proxy>, SocketAddr) {
    let listener = TcpListener::bind(settings.listen).await.unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = Proxy::new(Settings { listen: address, ..settings }).unwrap();
    tokio::spawn(Arc::clone(&proxy).serve(listener, std::future::pending()));
    (proxy, address)
}

/// An answer as it arrived.
#[derive(Clone, Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
    /// Whether its end has come.
    is_whole: bool,
}

/// Sends bytes and reads what comes until the connection ends.
async fn send(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that refuses a request need not read all of it.
    let _ = stream.write_all(bytes).await;
    let mut all = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut all)).await.unwrap();
    if all.starts_with(b"HTTP/1.1 100 ") {
        let interim = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        all.drain(..interim + 4);
    }
    let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") else {
        // What was cut may have been all of it.
        return Answer { status: 0, head: String::new(), body: all, is_whole: false };
    };
    let (head, body) = (String::from_utf8(all[..end].to_vec()).unwrap(), &all[end + 4..]);
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let lower = head.to_ascii_lowercase();
    let chunks = lower.contains("transfer-encoding: chunked").then(|| unchunked(body));
    let (body, is_whole) = match chunks {
        Some(content) => (content.clone().unwrap_or_else(|| body.to_vec()), content.is_some()),
        None => (body.to_vec(), true),
    };
    Answer { status, head, body, is_whole }
}

async fn post(address: SocketAddr, path: &str, headers: &str, body: &[u8]) -> Answer {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    send(address, &[head.as_bytes(), body].concat()).await
}

/// Requests of a client that reads files, each with the reply to the one before it. The bytes are not those that serde writes.
fn requests(turns: usize) -> Vec<String> {
    let mut messages = vec![json!({ "role": "user", "content": "Read all files, please." })];
    let mut requests = Vec::new();
    for turn in 0..turns {
        let list: Vec<String> = messages.iter().map(Json::to_string).collect();
        requests.push(format!(
            "{{ \"model\" : \"claude-sonnet-4-5\",\"max_tokens\":1000.0, \"tools\": [ {{\"name\":\"read\",\"input_schema\":{{}}}} ],\n\"messages\": [{}] }}",
            list.join(" ,")
        ));
        messages.push(assistant(turn));
        let text = format!("File {turn} has \u{fc}nicode. ").repeat(20 + 10 * turn);
        let result = json!({ "type": "tool_result", "tool_use_id": format!("call_{turn}"), "content": text });
        messages.push(json!({ "role": "user", "content": [result] }));
    }
    requests
}

fn assistant(turn: usize) -> Json {
    let call = json!({ "type": "tool_use", "id": format!("call_{turn}"), "name": "read", "input": { "path": format!("f{turn}") } });
    json!({ "role": "assistant", "content": [{ "type": "text", "text": format!("Step {turn}.") }, call] })
}

/// The reply of the model in a turn, as events.
fn events(turn: usize) -> String {
    event_stream(turn, &json!({ "input_tokens": 500 + 100 * turn, "output_tokens": 1 }))
}

/// The same with this usage at the beginning.
fn event_stream(turn: usize, usage: &Json) -> String {
    let message = json!({ "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
        "usage": usage });
    let mut text = event("message_start", &json!({ "message": message }));
    for (index, block) in assistant(turn)["content"].as_array().unwrap().iter().enumerate() {
        text += &event("content_block_start", &json!({ "index": index, "content_block": block }));
        text += &event("content_block_stop", &json!({ "index": index }));
    }
    text +=
        &event("message_delta", &json!({ "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 20 } }));
    text + &event("message_stop", &json!({}))
}

fn event(kind: &str, fields: &Json) -> String {
    let mut fields = fields.clone();
    fields["type"] = kind.into();
    format!("event: {kind}\ndata: {fields}\n\n")
}

/// An answer with the events of a turn, in chunks that end anywhere.
fn stream(turn: usize) -> Vec<Step> {
    steps(&events(turn))
}

fn steps(events: &str) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut steps = vec![Step::Send(head.as_bytes().to_vec())];
    for part in events.as_bytes().chunks(97) {
        let chunk = [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
        steps.push(Step::Send(chunk));
    }
    steps.push(Step::Send(b"0\r\n\r\n".to_vec()));
    steps
}

/// What a session sends that no proxy is in front of.
fn expected(policy: &str, requests: &[String]) -> Vec<String> {
    let mut session = Session::new(&plan(policy), Host::new());
    let mut sent = Vec::new();
    for (turn, request) in requests.iter().enumerate() {
        let Next::Send(prepared) = session.before_request(Dialect::Anthropic, request, None).unwrap() else {
            panic!("a request")
        };
        sent.push(prepared.json.to_string());
        let mut reply = assistant(turn);
        reply["usage"] = json!({ "input_tokens": 500 + 100 * turn, "output_tokens": 20 });
        reply["model"] = "claude-sonnet-4-5".into();
        assert!(matches!(session.after_reply(&reply.to_string(), None).unwrap(), Next::Ready));
    }
    sent
}

fn texts(received: &[Received]) -> Vec<String> {
    received.iter().map(Received::text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn while_it_observes_every_byte_passes() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Observe)).await;
    let requests = requests(5);
    for (turn, request) in requests.iter().enumerate() {
        let headers =
            "x-api-key: secret\r\nanthropic-version: 2023-06-01\r\nX-Trimtab-Session: a\r\nexpect: 100-continue\r\n";
        let answer = post(address, "/v1/messages?beta=true", headers, request.as_bytes()).await;
        assert_eq!(answer.status, 200, "{}", answer.head);
        assert_eq!(String::from_utf8(answer.body).unwrap(), events(turn));
    }
    let received = model.received();
    assert_eq!(texts(&received), requests);
    assert!(received[0].head.starts_with("POST /v1/messages?beta=true HTTP/1.1"), "{}", received[0].head);
    assert_eq!(received[0].header("x-api-key"), Some("secret"));
    assert_eq!(received[0].header("x-trimtab-session"), None);
    assert_eq!(received[0].header("host").map(|host| format!("http://{host}")), Some(model.url.clone()));
    let counters = proxy.counters();
    assert_eq!((counters.decisions, counters.edited, counters.failures), (5, 0, 0), "{:?}", proxy.failures());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_enforced_is_what_a_session_sends_and_what_its_recording_simulates() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    let requests = requests(6);
    for (turn, request) in requests.iter().enumerate() {
        let answer = post(address, "/v1/messages", "", request.as_bytes()).await;
        assert_eq!((answer.status, String::from_utf8(answer.body).unwrap()), (200, events(turn)));
    }
    let sent = texts(&model.received());
    assert_eq!(sent, expected(POLICY, &requests));
    assert!(sent[5].len() < requests[5].len() / 2, "the policy edits");
    assert_eq!(proxy.counters().edited, 4, "the first two requests have nothing to edit");
    let statistics = proxy.statistics().into_values().next().unwrap();
    assert_eq!((statistics.requests, statistics.edited, statistics.replies, statistics.output_tokens), (6, 4, 6, 120));

    let page =
        send(address, format!("GET /_trimtab/ HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes())
            .await;
    let page = String::from_utf8(page.body).unwrap();
    assert!(page.contains("<html") && page.contains("\"cut\"") && !page.contains("nicode"), "{page}");

    let recordings = proxy.recordings();
    let [(_, recording)] = recordings.as_slice() else { panic!("{recordings:?}") };
    let read = transcript::read(recording.as_bytes(), None).unwrap().transcripts.remove(0);
    let compiled = crate::laws::plan(POLICY);
    let mut tokens = Vec::new();
    let trace = replay(&compiled, &read, &Options::default(), &mut Extract, &mut |context| {
        let texts = context
            .messages()
            .into_iter()
            .flat_map(|message| message.results().map(|result| result.text.to_string()).collect::<Vec<_>>());
        tokens.push(texts.collect::<Vec<_>>());
    });
    assert!(trace.is_live);
    let results = |text: &String| -> Vec<String> {
        let body: Json = serde_json::from_str(text).unwrap();
        let blocks = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
        blocks
            .filter(|block| block["type"] == "tool_result")
            .map(|block| block["content"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(tokens, sent.iter().map(results).collect::<Vec<_>>());
    // A recording and a log are for their owner alone.
    #[cfg(unix)]
    for entry in
        ["state/decisions", "recordings"].iter().flat_map(|name| std::fs::read_dir(folder.path().join(name)).unwrap())
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_starts_again_sends_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let requests = requests(7);
    for request in &requests {
        // Each request meets another process, which knows only the log.
        let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
        assert_eq!(proxy.failures(), Vec::<String>::new());
    }
    assert_eq!(texts(&model.received()), expected(POLICY, &requests));
    let recordings: Vec<_> = std::fs::read_dir(folder.path().join("recordings")).unwrap().collect();
    assert_eq!(recordings.len(), 1, "one conversation is one file: {recordings:?}");
    let logs = std::fs::read_dir(folder.path().join("state/decisions")).unwrap();
    let log = std::fs::read_to_string(logs.last().unwrap().unwrap().path()).unwrap();
    assert!(!log.contains("Read all files") && !log.contains("nicode"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_begins_like_an_earlier_one_leaves_its_recording() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|_, received| stream(received.text().matches("\"tool_result\"").count())).await;
    let recordings = || {
        let files = std::fs::read_dir(folder.path().join("recordings")).unwrap();
        let mut texts: Vec<String> = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
        texts.sort_by_key(String::len);
        texts
    };
    let requests = requests(4);
    let mut all = Vec::new();
    // The same task again, and under another policy, which knows nothing of the log.
    for (mode, count) in [(Mode::Enforce, 4), (Mode::Enforce, 2), (Mode::Observe, 1)] {
        let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), mode)).await;
        for request in &requests[..count] {
            assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
        }
        assert_eq!(proxy.failures(), Vec::<String>::new());
        all.push(recordings());
    }
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(all.iter().all(|texts| texts.last() == all[0].last()));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_link_in_the_folder_of_recordings_is_passed_over() {
    let model = Model::start(|_, received| stream(received.text().matches("\"tool_result\"").count())).await;
    let run = async |folder: &Path| {
        let (proxy, address) = start(settings(&model, folder, None, Mode::Observe)).await;
        for request in &requests(2) {
            assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
        }
        assert_eq!(proxy.failures(), Vec::<String>::new());
        proxy.recordings().remove(0).0
    };
    let first = tempfile::tempdir().unwrap();
    let name = run(first.path()).await.rsplit('/').next().unwrap().to_owned();
    let second = tempfile::tempdir().unwrap();
    let (recordings, outside) = (second.path().join("recordings"), second.path().join("outside"));
    std::fs::create_dir(&recordings).unwrap();
    std::os::unix::fs::symlink(&outside, recordings.join(&name)).unwrap();
    let other = run(second.path()).await;
    assert!(other.ends_with(&name.replace(".jsonl", ".2.jsonl")) && !outside.exists(), "{other}");
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_are_disabled_when_the_provider_rejects_one() {
    let folder = tempfile::tempdir().unwrap();
    let originals = requests(4);
    let accepted = originals.clone();
    let model = Model::start(move |_, received| match accepted.iter().position(|known| *known == received.text()) {
        Some(turn) => stream(turn),
        None => vec![Step::Send(reply(
            400,
            "",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"bound"}}"#,
        ))],
    })
    .await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    for (turn, request) in originals.iter().enumerate() {
        let answer = post(address, "/v1/messages", "", request.as_bytes()).await;
        assert_eq!((answer.status, String::from_utf8(answer.body).unwrap()), (200, events(turn)));
    }
    let received = texts(&model.received());
    assert_eq!(received.len(), 5, "one request is repeated, once");
    assert_eq!(received[3..], originals[2..]);
    assert!(proxy.statistics().values().all(|statistics| statistics.edits_disabled));
    assert_eq!((proxy.counters().retried, proxy.counters().passed.get(&PassReason::EditsDisabled)), (1, Some(&1)));
    // Another process knows it from the log.
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    assert_eq!(post(address, "/v1/messages", "", originals[3].as_bytes()).await.status, 200);
    assert_eq!((proxy.counters().retried, proxy.counters().passed.get(&PassReason::EditsDisabled)), (0, Some(&1)));
    // Earlier versions wrote the line with another word.
    let mut replaced = 0;
    for entry in std::fs::read_dir(folder.path().join("state/decisions")).unwrap() {
        let path = entry.unwrap().path();
        let log = std::fs::read_to_string(&path).unwrap();
        replaced += log.matches("\n{\"edits_disabled\":true}\n").count();
        std::fs::write(&path, log.replace("{\"edits_disabled\":true}", "{\"withdrawn\":true}")).unwrap();
    }
    assert_eq!(replaced, 1);
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    assert_eq!(post(address, "/v1/messages", "", originals[3].as_bytes()).await.status, 200);
    assert_eq!((proxy.counters().retried, proxy.counters().passed.get(&PassReason::EditsDisabled)), (0, Some(&1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_for_a_policy_passes_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|_, _| vec![Step::Send(reply(200, "x-own: 1\r\n", "{}"))]).await;
    let policy = "edition 2026\npolicy p {\n  rule all { do inject \"Be brief.\" }\n}\n";
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(policy)), Mode::Enforce)).await;
    let whole = requests(1).remove(0);
    let compaction = whole.replace("Read all files, please.", "Create a detailed summary of the conversation so far.");
    let stateful = r#"{"model":"m","previous_response_id":"r","tools":[{"type":"function","name":"a"}],"input":"hi"}"#;
    let cases: Vec<(&str, &str, &[u8], PassReason)> = vec![
        (
            "/v1/messages",
            "",
            br#"{"model":"m","messages":[{"role":"user","content":"A title?"}]}"#,
            PassReason::NoTools,
        ),
        ("/v1/messages", "", compaction.as_bytes(), PassReason::Compaction),
        (
            "/v1/messages",
            "x-codex-turn-metadata: {\"request_kind\":\"compaction\"}\r\n",
            whole.as_bytes(),
            PassReason::Compaction,
        ),
        ("/v1/messages", "x-trimtab: off\r\n", whole.as_bytes(), PassReason::Off),
        ("/v1/responses", "", stateful.as_bytes(), PassReason::Unreadable),
        ("/v1/messages", "", b"{\"messages\": [", PassReason::Unreadable),
        ("/v1/messages", "", b"\xff\xfe", PassReason::Unreadable),
        ("/v1/messages", "content-encoding: snappy\r\n", b"\x00\x01", PassReason::Unreadable),
        ("/v1/messages/count_tokens", "", whole.as_bytes(), PassReason::OtherInterface),
        ("/v1beta/models/m:countTokens", "", b"{}", PassReason::OtherInterface),
    ];
    for (number, (path, headers, body, reason)) in cases.iter().enumerate() {
        let before = proxy.counters().passed.get(reason).copied().unwrap_or(0);
        let answer = post(address, path, headers, body).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"{}".as_slice()), "{path}");
        assert!(answer.head.contains("x-own: 1"), "{}", answer.head);
        assert_eq!(model.received()[number].body, *body, "{path}");
        assert_eq!(proxy.counters().passed.get(reason), Some(&(before + 1)), "{path} {headers}");
    }
    std::fs::write(folder.path().join("state/off"), "").unwrap();
    post(address, "/v1/messages", "", whole.as_bytes()).await;
    assert_eq!(model.received().last().unwrap().text(), whole);
    std::fs::remove_file(folder.path().join("state/off")).unwrap();
    post(address, "/v1/messages", "", whole.as_bytes()).await;
    assert!(model.received().last().unwrap().text().contains("Be brief."));
    assert_eq!(proxy.counters().edited, 1);
    // What a tool has found is not what the client asks for.
    let found = r#"{"model":"m","tools":[{"type":"function","function":{"name":"a"}}],"messages":[{"role":"user","content":"Go."},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"a handoff summary"}]}"#;
    let decisions = proxy.counters().decisions;
    post(address, "/v1/chat/completions", "", found.as_bytes()).await;
    assert_eq!(proxy.counters().decisions, decisions + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_request_is_decoded_and_passes_compressed_if_nothing_is_edited() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let (_, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    let requests = requests(3);
    let zstd =
        |text: &String| ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    for request in &requests {
        assert_eq!(post(address, "/v1/messages", "content-encoding: zstd\r\n", &zstd(request)).await.status, 200);
    }
    let received = model.received();
    assert_eq!((received[0].header("content-encoding"), &received[0].body), (Some("zstd"), &zstd(&requests[0])));
    assert_eq!(
        (received[2].header("content-encoding"), received[2].text()),
        (None, expected(POLICY, &requests).remove(2))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_cut_is_cut_for_the_client_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| match number {
        2 => stream(1).into_iter().take(4).collect(),
        3 => stream(1),
        number => stream(number.min(3) - 1),
    })
    .await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    let requests = requests(3);
    assert!(post(address, "/v1/messages", "", requests[0].as_bytes()).await.is_whole);
    assert!(!post(address, "/v1/messages", "", requests[1].as_bytes()).await.is_whole);
    assert!(post(address, "/v1/messages", "", requests[1].as_bytes()).await.is_whole);
    assert!(post(address, "/v1/messages", "", requests[2].as_bytes()).await.is_whole);
    let (sent, expected) = (texts(&model.received()), expected(POLICY, &requests));
    assert_eq!(sent, [&expected[0], &expected[1], &expected[1], &expected[2]].map(String::clone));
    assert_eq!(proxy.statistics().values().map(|statistics| statistics.replies).sum::<u64>(), 3);
}

/// What has come of a body in chunks of which the last are missing.
fn cut_content(mut chunks: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    while let Some(end) = chunks.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).unwrap(), 16).unwrap();
        let data = &chunks[end + 2..];
        content.extend_from_slice(&data[..size.min(data.len())]);
        chunks = data.get(size + 2..).unwrap_or_default();
    }
    content
}

#[tokio::test(flavor = "multi_thread")]
async fn every_byte_of_an_answer_that_is_cut_reaches_the_client() {
    let folder = tempfile::tempdir().unwrap();
    let part = events(0)[..events(0).len() / 2].to_owned();
    let answer = {
        let part = part.clone();
        move |number: usize, _: &Received| {
            // In chunks, or with a length.
            if number.is_multiple_of(2) {
                let whole = steps(&part);
                whole[..whole.len() - 1].to_vec()
            } else {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9000\r\n\r\n";
                vec![Step::Send([head.as_bytes(), part.as_bytes()].concat())]
            }
        }
    };
    let model = Model::start(answer).await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    let request = requests(1).remove(0);
    for number in 0..40 {
        // The second path passes unread.
        let path = if number % 4 < 2 { "/v1/messages" } else { "/v1/messages/count_tokens" };
        let answer = post(address, path, "", request.as_bytes()).await;
        let is_chunked = answer.head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let content = if is_chunked { cut_content(&answer.body) } else { answer.body };
        assert_eq!(String::from_utf8(content).unwrap(), part, "answer {number}");
        assert!(!is_chunked || !answer.is_whole, "answer {number} is cut for the client too");
    }
    assert_eq!(proxy.statistics().values().map(|statistics| statistics.replies).sum::<u64>(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_all_forms_reach_the_client_and_the_session() {
    let body = json!({ "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": assistant(0)["content"], "usage": { "input_tokens": 500, "output_tokens": 20 } })
    .to_string();
    let gzip = |text: &str| {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let (events, gzip) = (gzip(&events(0)), gzip(&body));
    let head_of = |kind: &str, headers: &str, length: usize| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{headers}connection: close\r\n\r\n"
        )
    };
    let head = |headers: &str, length: usize| head_of("application/json", headers, length);
    let answers = [
        (
            vec![
                Step::Send(head("", body.len()).into_bytes()),
                Step::Drip(body.clone().into_bytes(), Duration::from_micros(50)),
            ],
            body.clone().into_bytes(),
        ),
        (
            vec![Step::Send([head("content-encoding: gzip\r\n", gzip.len()).as_bytes(), gzip.as_slice()].concat())],
            gzip.clone(),
        ),
        // Compressed events of a known length, whose end no client waits for.
        (
            vec![
                Step::Send(head_of("text/event-stream", "content-encoding: gzip\r\n", events.len()).into_bytes()),
                Step::Send(events.clone()),
            ],
            events.clone(),
        ),
    ];
    for (steps, bytes) in answers {
        let folder = tempfile::tempdir().unwrap();
        let model = Model::start(move |_, _| steps.clone()).await;
        let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
        let answer = post(address, "/v1/messages", "accept-encoding: gzip\r\n", requests(1)[0].as_bytes()).await;
        assert_eq!((answer.status, answer.body), (200, bytes));
        let statistics = proxy.statistics().into_values().next().unwrap();
        assert_eq!((statistics.replies, statistics.input_tokens, statistics.output_tokens), (1, 500, 20));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_keeps_what_was_decided_under_another_system_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let mut requests = requests(6);
    for (turn, request) in requests.iter_mut().enumerate() {
        let day = if turn < 4 { "Monday" } else { "Tuesday" };
        *request = request.replacen("\"messages\"", &format!("\"system\":\"It is {day}.\",\"messages\""), 1);
    }
    let mut log = String::new();
    for request in &requests {
        let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
        assert_eq!(proxy.failures(), Vec::<String>::new());
        let mut logs = std::fs::read_dir(folder.path().join("state/decisions")).unwrap();
        let longer = std::fs::read_to_string(logs.next().unwrap().unwrap().path()).unwrap();
        assert!(longer.starts_with(&log) && logs.next().is_none(), "{log}\n{longer}");
        log = longer;
    }
    assert_eq!(texts(&model.received()), expected(POLICY, &requests));
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_at_once_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|_, received| {
        let turn = received.text().matches("\"tool_result\"").count();
        stream(turn)
    })
    .await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    let of = |client: usize| -> Vec<String> {
        requests(5).iter().map(|request| request.replace("please.", &format!("client {client}."))).collect()
    };
    let client = |number: usize| async move {
        for request in of(number) {
            assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
        }
    };
    let clients: Vec<_> = (0..20).map(|number| tokio::spawn(client(number))).collect();
    for client in clients {
        client.await.unwrap();
    }
    let received = texts(&model.received());
    for number in 0..20 {
        let own = format!("client {number}.");
        let sent: Vec<String> = received.iter().filter(|text| text.contains(&own)).cloned().collect();
        assert_eq!(sent, expected(POLICY, &of(number)), "client {number}");
    }
    assert_eq!((proxy.statistics().len(), proxy.recordings().len()), (20, 20));
}

/// A summariser that never answers.
struct Hangs;

impl Summarise for Hangs {
    fn summarise<'a>(&'a self, _: &'a SummaryRequest, _: u64) -> SummaryFuture<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_waits_for_a_summary_only_as_long_as_the_settings_say() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let policy = "edition 2026\npolicy p {\n  rule s { when context.results >= 2 do summarise older keep 2 messages at_most 50 tokens }\n}\n";
    let settings = settings(&model, folder.path(), Some(plan(policy)), Mode::Enforce);
    let settings = Settings { summariser: Arc::new(Hangs), summary_timeout: Duration::from_millis(5), ..settings };
    let (_, address) = start(settings).await;
    let requests = requests(4);
    for request in &requests {
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
    }
    assert_eq!(texts(&model.received()), requests);
    let logs = std::fs::read_dir(folder.path().join("state/decisions")).unwrap();
    let log = std::fs::read_to_string(logs.last().unwrap().unwrap().path()).unwrap();
    assert!(log.contains("no answer within 0.005 s"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_stops_the_run_is_an_error_that_no_client_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| stream(number - 1)).await;
    let policy =
        "edition 2026\npolicy p {\n  rule enough { when context.results >= 2 do stop \"two files are enough\" }\n}\n";
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(policy)), Mode::Enforce)).await;
    let requests = requests(3);
    for request in &requests[..2] {
        assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200);
    }
    let answer = post(address, "/v1/messages", "", requests[2].as_bytes()).await;
    let text = String::from_utf8(answer.body).unwrap();
    assert!(answer.status == 400 && text.contains("enough") && text.contains("two files are enough"), "{text}");
    assert_eq!(model.received().len(), 2);
    assert_eq!((proxy.counters().requests, proxy.counters().stopped), (2, 1));
    let stopped: Vec<_> = proxy.statistics().into_values().map(|statistics| statistics.stopped["enough"]).collect();
    assert_eq!(stopped, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_was_stopped_between_tool_calls_goes_on_at_the_next_message_of_the_person() {
    let policy =
        "edition 2026\npolicy p {\n  rule enough { when iteration >= 2 do stop \"two calls are enough\" }\n}\n";
    let requests = requests(3);
    for restarts in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let model = Model::start(|number, _| stream(number - 1)).await;
        let settings = || settings(&model, folder.path(), Some(plan(policy)), Mode::Enforce);
        let (_, mut address) = start(settings()).await;
        for (request, status) in requests.iter().zip([200, 200, 400]) {
            assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, status);
        }
        // The person may write another message in place of the first one.
        for text in ["Go on.", "Please go on."] {
            if restarts {
                (_, address) = start(settings()).await;
            }
            let message = json!({ "role": "user", "content": text });
            let request = format!("{} ,{message}] }}", requests[2].strip_suffix("] }").unwrap());
            assert_eq!(post(address, "/v1/messages", "", request.as_bytes()).await.status, 200, "{text}");
            assert_eq!(model.received().last().unwrap().text(), request);
        }
        let files = std::fs::read_dir(folder.path().join("recordings")).unwrap();
        let recordings = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let resumed: Vec<String> = recordings.filter(|text| text.contains("\"run\":true")).collect();
        assert_eq!(resumed.len(), 2);
        for recording in resumed {
            let read = transcript::read(recording.as_bytes(), None).unwrap().transcripts.remove(0);
            let mut sent = Vec::new();
            replay(&crate::laws::plan(policy), &read, &Options::default(), &mut Extract, &mut |context| {
                sent.push((context.run, context.iteration));
            });
            assert_eq!(sent, [(0, 0), (0, 1), (1, 0)]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_to_another_server_and_no_page_of_a_browser_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let model =
        Model::start(|_, _| vec![Step::Send(reply(302, "location: http://127.0.0.1:1/elsewhere\r\n", ""))]).await;
    let (proxy, address) = start(settings(&model, folder.path(), None, Mode::Observe)).await;
    let request =
        |line: &str, headers: &str| format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").into_bytes();
    let host = format!("Host: {address}\r\n");
    for (line, headers, status) in [
        ("GET /v1/models", "Host: evil.example\r\n".to_owned(), 403),
        ("GET /v1/models", format!("{host}Origin: http://evil.example\r\n"), 403),
        ("GET /_trimtab/sessions", "Host: evil.example\r\n".to_owned(), 403),
        ("GET /openai/v1/../../secret", host.clone(), 400),
        ("GET /openai/%2e%2e/secret", host.clone(), 400),
        ("CONNECT evil.example:443", host.clone(), 400),
        ("GET /v1/responses", format!("{host}Upgrade: WebSocket\r\n"), 426),
    ] {
        let answer = send(address, &request(line, &headers)).await;
        assert_eq!(answer.status, status, "{line} {headers}\n{}", answer.head);
    }
    assert_eq!(model.received().len(), 0);
    // Another upgrade is not taken, and its header is not sent on.
    assert_eq!(send(address, &request("GET /v1/models", &format!("{host}Upgrade: h2c\r\n"))).await.status, 302);
    assert_eq!(model.received()[0].header("upgrade"), None);
    // A redirect goes back to the client, and an address in the request line is only a path.
    let answer = send(address, &request("GET http://evil.example/v1/models", &host)).await;
    assert_eq!((answer.status, model.received().len()), (302, 2));
    assert!(model.received()[1].head.starts_with("GET /v1/models HTTP/1.1"), "{}", model.received()[1].head);
    let page = send(address, &request("GET /_trimtabular", &host)).await;
    assert_eq!((page.status, model.received().len()), (302, 3), "it is no page of the proxy");
    let health = send(address, &request("GET /_trimtab/health", &host)).await;
    let health: Json = serde_json::from_slice(&health.body).unwrap();
    assert_eq!((&health["status"], &health["mode"]), (&json!("ok"), &json!("observe")));
    let metrics = String::from_utf8(send(address, &request("GET /_trimtab/metrics", &host)).await.body).unwrap();
    assert!(metrics.contains("trimtab_requests_total 3\n"), "{metrics}");
    assert!(proxy.counters().refused >= 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_cannot_be_reached_is_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|_, _| Vec::new()).await;
    let mut settings = settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce);
    settings.upstreams.set(Provider::named("anthropic").unwrap(), "http://127.0.0.1:1").unwrap();
    let (_, address) = start(settings).await;
    let answer = post(address, "/v1/messages", "", requests(1)[0].as_bytes()).await;
    let text = String::from_utf8(answer.body).unwrap();
    assert!(answer.status == 502 && text.contains("cannot be reached"), "{text}");
}

#[test]
fn a_proxy_that_cannot_keep_its_promise_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let settings = |policy: Option<&str>, mode, listen: [u8; 4]| Settings {
        experiment: None,
        policy: policy.map(plan),
        mode,
        listen: SocketAddr::from((listen, 1)),
        token: None,
        upstreams: Upstreams::default(),
        state: folder.path().to_path_buf(),
        record: None,
        summariser: Arc::new(Extract),
        summary_timeout: DEADLINE,
        confirms: false,
        host: Host::new(),
    };
    let reason = |settings| Proxy::new(settings).map(drop).unwrap_err().to_string();
    assert!(reason(settings(None, Mode::Observe, [0, 0, 0, 0])).contains("--token-file"));
    assert!(reason(settings(None, Mode::Enforce, [127, 0, 0, 1])).contains("needs a policy"));
}
