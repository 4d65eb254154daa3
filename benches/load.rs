//! The proxy under load: many streams at once with large bodies, through the command itself, to a server that streams slowly.
//!
//! `cargo bench --bench load -- SECONDS [STREAMS] [BYTES]` runs for so long (by default 20 seconds, 200 streams, 2 MB). Each client
//! sends a conversation that grows by a turn per request, and begins another one after some turns. The server checks that each request is
//! whole and of the conversation that its header names; the client checks that each event of its answer arrives once and in order. Every
//! ten seconds a line shows what the proxy takes.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the bench starts the command, times requests and prints"
)]

use std::convert::Infallible;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::time::Sleep;
use trimtab::host::forwarding_client;

/// The requests of a conversation, before another one begins.
const TURNS: usize = 20;
/// The events of an answer.
const EVENTS: usize = 20;
/// The time between two events.
const PAUSE: Duration = Duration::from_millis(20);
/// The header that names the conversation and the number of its turns.
const MARK: &str = "x-load-mark";

const POLICY: &str = "edition 2026
policy load {
  rule mask_old { when context.ratio >= 50% do mask results keep 20 messages down_to 25% at_least 20k tokens }
  rule tell { when repeats(within: 8 calls) >= 3 do inject \"You have made {repeats} identical calls.\" as user once per repeats }
}
";

#[derive(Default)]
struct Counts {
    requests: AtomicUsize,
    bytes: AtomicU64,
    /// Milliseconds, summed.
    first_byte: AtomicU64,
}

/// An element of the list: a call and its result.
fn turn(conversation: usize, at: usize, bytes: usize) -> String {
    let line = format!("    let value_{at} = compute({conversation}, {at}); // and so on\\n");
    let result = line.repeat(bytes / line.len() + 1);
    format!(
        r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"c{at}","name":"bash","input":{{"command":"cat f{at}"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{at}","content":"{result}"}}]}}"#
    )
}

/// The events of an answer, with a pause before each.
struct Events {
    rest: std::vec::IntoIter<String>,
    pause: Pin<Box<Sleep>>,
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        ready!(self.pause.as_mut().poll(context));
        let next = tokio::time::Instant::now() + PAUSE;
        self.pause.as_mut().reset(next);
        Poll::Ready(self.rest.next().map(|event| Ok(Frame::data(event.into()))))
    }
}

/// The server of the model. It checks the request, and sends an answer whose events name the conversation.
async fn answer(request: Request<Incoming>) -> Response<Events> {
    let mark = request.headers()[MARK].to_str().expect("a mark").to_owned();
    let body = request.into_body().collect().await.expect("a whole body").to_bytes();
    let (conversation, turns) = mark.split_once('/').expect("a conversation and its turns");
    let turns: usize = turns.parse().expect("a number");
    let body = std::str::from_utf8(&body).expect("text");
    let has = |text: &str| body.contains(text);
    assert!(has(&format!("Review module {conversation} ")), "the beginning of {mark}");
    assert!(has(&format!("\"tool_use_id\":\"c{}\"", turns - 1)), "the end of {mark}");
    let events = (0..EVENTS).map(|at| {
        let data = match at {
            0 => r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":9}}}"#.to_owned(),
            1 => format!(r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"text","text":"{conversation}"}}}}"#),
            _ if at + 1 == EVENTS => r#"{"type":"message_stop"}"#.to_owned(),
            _ => format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":" {mark}:{at}"}}}}"#),
        };
        format!("event: e\ndata: {data}\n\n")
    });
    let events = Events { rest: events.collect::<Vec<_>>().into_iter(), pause: Box::pin(tokio::time::sleep(PAUSE)) };
    Response::builder().header("content-type", "text/event-stream").body(events).expect("an answer")
}

async fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service_fn(|request| async { Ok::<_, Infallible>(answer(request).await) });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    address
}

/// The command, and the address on which it listens.
fn proxy(folder: &std::path::Path, upstream: SocketAddr) -> (Child, String) {
    let policy = folder.join("load.trim");
    std::fs::write(&policy, POLICY).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trimtab"));
    command.args([
        "proxy",
        "--isolated",
        "--mode",
        "enforce",
        "--listen",
        "127.0.0.1:0",
        "--window",
        "1000000",
        "--color",
        "never",
    ]);
    command.arg(&policy).arg("--record").arg(folder.join("recordings")).arg("--state").arg(folder.join("state"));
    command.args(["--upstream", &format!("anthropic=http://{upstream}")]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let address = lines.find_map(|line| {
        let line = line.expect("a line");
        let (_, rest) = line.split_once("listening on ")?;
        Some(rest.split(';').next().unwrap_or(rest).to_owned())
    });
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| println!("proxy: {line}")));
    (child, address.expect("an address"))
}

fn client_of(address: &str) -> reqwest::Client {
    forwarding_client(&reqwest::Url::parse(address).expect("an address")).expect("a client")
}

/// One client: conversations one after another, until the time is up.
async fn client(number: usize, streams: usize, address: String, size: usize, end: Instant, counts: Arc<Counts>) {
    let client = client_of(&address);
    for conversation in (number..).step_by(streams) {
        let head = format!(
            r#"{{"model":"claude-sonnet-4-5","stream":true,"tools":[{{"name":"bash","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"Review module {conversation} of all."}}"#
        );
        let mut body = BytesMut::from(head.as_str());
        // Nine tenths of the body are there from the start.
        for at in 0..TURNS * 9 {
            body.extend_from_slice(turn(conversation, at, size / (TURNS * 10)).as_bytes());
        }
        for turns in TURNS * 9..TURNS * 10 {
            if Instant::now() > end {
                return;
            }
            let mut whole = body.clone();
            whole.extend_from_slice(b"]}");
            let mark = format!("{conversation}/{turns}");
            let start = Instant::now();
            let request = client.post(format!("{address}/v1/messages")).header(MARK, &mark).body(whole.freeze());
            let mut answer = request.send().await.expect("an answer");
            assert_eq!(answer.status(), 200, "{mark}");
            let (mut text, mut first) = (String::new(), None);
            while let Some(chunk) = answer.chunk().await.expect("a whole answer") {
                first.get_or_insert_with(|| start.elapsed());
                text += std::str::from_utf8(&chunk).expect("text");
            }
            let expected: String = (2..EVENTS - 1).fold(String::new(), |mut all, at| {
                let _ = write!(all, " {mark}:{at}");
                all
            });
            let deltas = text.split(r#""text_delta","text":""#).skip(1);
            let deltas: String = deltas.map(|rest| rest.split('"').next().unwrap_or_default()).collect();
            assert_eq!(deltas, expected, "each event once and in order");
            assert!(text.ends_with("{\"type\":\"message_stop\"}\n\n"), "the end of the answer");
            counts.requests.fetch_add(1, Ordering::Relaxed);
            counts.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
            let first = first.unwrap_or_default().as_millis();
            counts.first_byte.fetch_add(u64::try_from(first).unwrap_or(u64::MAX), Ordering::Relaxed);
            body.extend_from_slice(turn(conversation, turns, size / (TURNS * 10)).as_bytes());
        }
    }
}

/// The resident memory of a process in MB; zero where it is not known.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or_default() / 1000
}

#[tokio::main]
async fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let seconds = numbers.next().unwrap_or(20);
    let (streams, size) = (numbers.next().unwrap_or(200), numbers.next().unwrap_or(2_000_000));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, address) = proxy(folder.path(), serve().await);
    let (start, counts) = (Instant::now(), Arc::new(Counts::default()));
    let end = start + Duration::from_secs(seconds as u64);
    let clients: Vec<_> = (0..streams)
        .map(|number| tokio::spawn(client(number, streams, address.clone(), size, end, Arc::clone(&counts))))
        .collect();
    let process = child.id();
    let shown = Arc::clone(&counts);
    let watching = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(10)).await;
            let requests = shown.requests.load(Ordering::Relaxed);
            let first = shown.first_byte.load(Ordering::Relaxed) / (requests as u64).max(1);
            let (time, sent) = (start.elapsed().as_secs(), shown.bytes.load(Ordering::Relaxed) / 1_000_000);
            println!(
                "{time:>4} s  {requests:>7} requests  {sent:>7} MB  first byte {first:>5} ms  proxy {:>5} MB",
                memory(process)
            );
        }
    });
    let mut failed = 0;
    for client in clients {
        failed += usize::from(client.await.is_err());
    }
    watching.abort();
    let health = client_of(&address)
        .get(format!("{address}/_trimtab/health"))
        .send()
        .await
        .expect("an answer")
        .text()
        .await
        .expect("text");
    println!("{} of {streams} clients failed; {} requests; {health}", failed, counts.requests.load(Ordering::Relaxed));
    child.kill().expect("the command");
    child.wait().expect("the command");
    assert_eq!(failed, 0, "a request was lost or changed");
}
