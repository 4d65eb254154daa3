//! The proxy beside the least that a proxy does: the same requests through both in turn, to a server that answers at once.
//!
//! Each conversation grows by a turn per request, as an agent's does. 50 rules are tried and none fires.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "the bench times requests and prints a table")]

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use trimtab::Host;
use trimtab::host::forwarding_client;
use trimtab::proxy::{DEADLINE, Mode, Provider, Proxy, Settings, Upstreams};
use trimtab::simulate::Extract;

/// Requests of each kind and size that are timed.
const REQUESTS: usize = 150;

/// The tokens of a turn are about 500.
fn turn(at: usize) -> [serde_json::Value; 2] {
    let call = serde_json::json!({ "type": "tool_use", "id": format!("c{at}"), "name": "read", "input": { "path": format!("f{at}") } });
    let line = format!("    let value_{at} = compute(\"some text\", {at}); // and so on\n");
    let result =
        serde_json::json!({ "type": "tool_result", "tool_use_id": format!("c{at}"), "content": line.repeat(32) });
    [
        serde_json::json!({ "role": "assistant", "content": [{ "type": "text", "text": "I read the next file." }, call] }),
        serde_json::json!({ "role": "user", "content": [result] }),
    ]
}

/// The bodies of a conversation, the first with about this many bytes, each with the number of its turns.
fn bodies(size: usize) -> Vec<(usize, Bytes)> {
    let mut messages = vec![serde_json::json!({ "role": "user", "content": "Review all modules." })];
    let body = |messages: &[serde_json::Value]| {
        let tools = serde_json::json!([{ "name": "read", "input_schema": { "type": "object" } }]);
        Bytes::from(
            serde_json::json!({ "model": "claude-sonnet-4-5", "stream": true, "tools": tools, "messages": messages })
                .to_string(),
        )
    };
    let (mut bodies, mut at) = (Vec::new(), 0);
    while bodies.len() < REQUESTS {
        messages.extend(turn(at));
        at += 1;
        // About 2,300 bytes each; the whole is written only once the size is reached.
        if at * 2_300 >= size {
            bodies.push((at, body(&messages)));
        }
    }
    bodies
}

/// The reply to a request of this many turns: the beginning of the next one, as the client sends it again.
fn events(turns: usize) -> Bytes {
    let [reply, _] = turn(turns);
    let mut text = String::new();
    let mut add = |event: &str, data: serde_json::Value| {
        let mut data = data;
        data["type"] = event.into();
        write!(text, "event: {event}\ndata: {data}\n\n").expect("a string");
    };
    let message = serde_json::json!({ "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [], "usage": { "input_tokens": 9, "output_tokens": 1 } });
    add("message_start", serde_json::json!({ "message": message }));
    for (index, block) in reply["content"].as_array().expect("blocks").iter().enumerate() {
        add("content_block_start", serde_json::json!({ "index": index, "content_block": block }));
        add("content_block_stop", serde_json::json!({ "index": index }));
    }
    add(
        "message_delta",
        serde_json::json!({ "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 20 } }),
    );
    add("message_stop", serde_json::json!({}));
    text.into()
}

/// Serves each connection with a function, and returns the address.
async fn serve<F, R>(answer: F) -> SocketAddr
where
    F: Fn(Request<Incoming>) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).expect("a socket");
            let answer = answer.clone();
            let service = service_fn(move |request| {
                let answer = answer(request);
                async move { Ok::<_, Infallible>(answer.await) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    address
}

/// The least that a proxy does: it reads a request, sends it on, and gives back the answer.
async fn pass(client: reqwest::Client, upstream: SocketAddr, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await.expect("a body").to_bytes();
    let sent = client.post(format!("http://{upstream}{path}")).body(body).send().await.expect("an answer");
    Response::new(Full::new(sent.bytes().await.expect("a body")))
}

fn policy() -> String {
    let rules = [
        "on request when context.ratio >= 99% do mask results keep 10 messages preview 80 chars down_to 35% at_least 4k tokens",
        "when repeats(within: 8 calls) >= 300000 do inject \"You have made {repeats} identical calls.\" as user once per repeats",
        "when failures >= 2000 do inject \"The last {failures} results were errors.\" as user once per failures",
        "on reply when context.tokens > 90000k tokens do trim results to 1500 chars from tail keep 6 results",
        "when (budget.cost ?? $0) >= $20000 or budget.calls >= 80000 do stop \"the budget is used up\"",
    ];
    let mut text = "edition 2026\nagent { window 100000k tokens }\npolicy p {\n".to_owned();
    for at in 0..50 {
        writeln!(text, "  rule r{at} {{ {} }}", rules[at % rules.len()]).expect("a string");
    }
    text + "}\n"
}

fn print(name: &str, size: usize, samples: &mut [Duration]) -> f64 {
    samples.sort_unstable();
    let at = |share: usize| samples[(samples.len() * share / 100).min(samples.len() - 1)].as_secs_f64() * 1e3;
    println!("{name:14} {:>6} KB  p50 {:>7.2} ms  p99 {:>7.2} ms", size / 1000, at(50), at(99));
    at(50)
}

async fn measure(size: usize) {
    let turns = Arc::new(AtomicUsize::new(0));
    let known = Arc::clone(&turns);
    let upstream = serve(move |request: Request<Incoming>| {
        let turns = known.load(Ordering::Relaxed);
        async move {
            let _ = request.into_body().collect().await;
            let answer = Response::builder().header("content-type", "text/event-stream");
            answer.body(Full::new(events(turns))).expect("an answer")
        }
    })
    .await;
    let address = reqwest::Url::parse(&format!("http://{upstream}")).expect("an address");
    let client = forwarding_client(&address).expect("a client");
    let through = client.clone();
    let passing = serve(move |request| pass(through.clone(), upstream, request)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut upstreams = Upstreams::default();
    upstreams
        .set(Provider::named("anthropic").expect("a provider"), &format!("http://{upstream}"))
        .expect("an address");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let settings = Settings {
        policy: Some(trimtab::compile("bench.trim", &policy()).plan(None).expect("a plan")),
        mode: Mode::Enforce,
        experiment: None,
        listen: address,
        token: None,
        upstreams,
        state: folder.path().to_path_buf(),
        record: Some(folder.path().join("recordings")),
        summariser: Arc::new(Extract),
        summary_timeout: DEADLINE,
        confirms: false,
        host: Host::new(),
    };
    let proxy = Proxy::new(settings).expect("a proxy");
    tokio::spawn(Arc::clone(&proxy).serve(listener, std::future::pending()));
    let (mut direct, mut least, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for (at, body) in bodies(size) {
        turns.store(at, Ordering::Relaxed);
        for (address, samples) in [(upstream, &mut direct), (passing, &mut least), (address, &mut whole)] {
            let start = Instant::now();
            let answer = client.post(format!("http://{address}/v1/messages")).body(body.clone()).send().await;
            let bytes = answer.expect("an answer").bytes().await.expect("a body");
            samples.push(start.elapsed());
            assert_eq!(bytes, events(at));
        }
    }
    assert_eq!((proxy.counters().edited, proxy.counters().failures), (0, 0), "{:?}", proxy.failures());
    assert_eq!(proxy.recordings().len(), 1, "the client goes on with each reply");
    let direct = print("direct", size, &mut direct);
    let least = print("pass-through", size, &mut least) - direct;
    let whole = print("trimtab proxy", size, &mut whole) - direct;
    let decision =
        proxy.counters().decision_time.as_secs_f64() * 1e3 / f64::from(u32::try_from(REQUESTS).expect("few"));
    println!("added {least:.2} ms and {whole:.2} ms: {:.2} times; a decision takes {decision:.2} ms\n", whole / least);
}

#[tokio::main]
async fn main() {
    for size in [50_000, 500_000, 2_000_000] {
        measure(size).await;
    }
}
