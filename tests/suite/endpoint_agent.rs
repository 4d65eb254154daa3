//! The example agent with a model server: its requests, and a simulation of its recording.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trimtab::Dialect;
use trimtab::request::Request;
use trimtab::simulate::{FailingSummariser, Options, Trace, replay};
use trimtab::transcript;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Respond, ResponseTemplate};

use self::agent::{Agent, Server};
use crate::laws;
use crate::live_agent::content;

#[path = "../../examples/endpoint_agent.rs"]
#[expect(dead_code, unreachable_pub, reason = "the program has a main function of its own")]
mod agent;

const KEY: &str = "sk-test-abcdefgh12345678";

const SUMMARY: &str = "Both have 552 words.";

/// The calls of the model: a tool and its arguments.
const CALLS: [(&str, &str); 10] = [
    ("search", r#"{"word": "chapter"}"#),
    ("read", r#"{"path": "one.txt"}"#),
    ("run", r#"{"command": "wc -w one.txt"}"#),
    ("read", r#"{"path": "two.txt"}"#),
    ("run", r#"{"command": "./no-such-program"}"#),
    ("read", r#"{"path": "three.txt"}"#),
    ("read", r#"{"path": "four.txt"}"#),
    ("read", r#"{"path": "one.txt"}"#),
    ("fly", "{}"),
    ("write_note", r#"{"text": "552 each"}"#),
];

/// A model that is busy once, calls tools, answers, and writes summaries when it is asked for one.
struct Model {
    replies: Mutex<usize>,
    is_busy: Mutex<bool>,
}

/// Whether a request is one of the agent, not one for a summary.
fn is_of_agent(request: &Value) -> bool {
    request["tools"].is_array()
}

impl Respond for Model {
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        let body: Value = request.body_json().unwrap();
        if !is_of_agent(&body) {
            let message = json!({"role": "assistant", "content": SUMMARY});
            return ok(&message, &body);
        }
        let mut replies = self.replies.lock().unwrap();
        if *replies == 2 && std::mem::take(&mut *self.is_busy.lock().unwrap()) {
            return ResponseTemplate::new(429).insert_header("retry-after", "1").set_body_string("busy");
        }
        let message = match CALLS.get(*replies) {
            Some((tool, arguments)) => json!({"role": "assistant", "content": null, "tool_calls": [{
                "id": format!("call_{replies}"), "type": "function", "function": {"name": tool, "arguments": arguments}
            }]}),
            None => json!({"role": "assistant", "content": "Each has 552 words."}),
        };
        *replies += 1;
        ok(&message, &body)
    }
}

/// A response with the usage that a provider would report for the request.
fn ok(message: &Value, request: &Value) -> ResponseTemplate {
    let usage = json!({"prompt_tokens": request.to_string().len() / 2, "completion_tokens": 20});
    let choice = json!({"message": message, "finish_reason": "stop"});
    ResponseTemplate::new(200).set_body_json(json!({"choices": [choice], "usage": usage}))
}

/// The bodies that the agent has sent, without those for summaries, and a replay of its recording with what it sends.
fn replayed(sent: &[Value], directory: &Path) -> (Vec<Vec<String>>, Vec<Vec<String>>, Trace) {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let path = names.into_iter().find(|path| path.to_string_lossy().ends_with("-0.jsonl")).expect("a recording");
    let recording = fs::read(path).unwrap();
    let recorded = transcript::read(&recording, None).unwrap().transcripts.remove(0);
    let plan = laws::plan(&fs::read_to_string("examples/agent.trim").unwrap());
    let mut simulated = Vec::new();
    let trace = replay(&plan, &recorded, &Options::default(), &mut FailingSummariser, &mut |context| {
        simulated.push(content(context.messages().iter().map(AsRef::as_ref)));
    });
    let live = sent.iter().map(|body| {
        let request = Request::read(Dialect::OpenAiChat, None, body.to_string()).unwrap();
        content(request.history().iter().map(AsRef::as_ref))
    });
    (live.collect(), simulated, trace)
}

#[tokio::test]
async fn an_agent_on_a_server_waits_summarises_and_is_repeated_by_a_simulation() {
    let (server, directory) = (MockServer::start().await, tempfile::tempdir().unwrap());
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", format!("Bearer {KEY}").as_str()))
        .respond_with(Model { replies: Mutex::new(0), is_busy: Mutex::new(true) })
        .mount(&server)
        .await;
    let plan = trimtab::compile_file("examples/agent.trim").unwrap().plan(None).unwrap();
    let endpoint =
        Server { base_url: format!("{}/v1", server.uri()), model: "small".to_owned(), key: Some(KEY.to_owned()) };
    let start = Instant::now();
    let agent = Agent::new(&plan, endpoint, directory.path()).unwrap();
    let answer = agent.run("How many words?").await.unwrap();
    assert_eq!(answer, "Each has 552 words.");
    assert!(start.elapsed() >= Duration::from_secs(1), "the server asked to wait for a second");

    let requests = server.received_requests().await.unwrap();
    let bodies: Vec<Value> = requests.iter().map(|request| request.body_json().unwrap()).collect();
    let summaries = bodies.iter().filter(|body| !is_of_agent(body)).count();
    let mut sent: Vec<Value> = bodies.into_iter().filter(is_of_agent).collect();
    assert_eq!(sent[2], sent[3], "the call that was rejected is made again");
    sent.remove(3);
    assert_eq!(sent.len(), CALLS.len() + 1);
    let last = sent.last().unwrap().to_string();
    assert!(summaries > 0 && last.contains(SUMMARY), "{last}");
    assert!(last.contains("`fly` is not a tool"), "{last}");
    assert_eq!(fs::read_to_string(directory.path().join("note.md")).unwrap(), "552 each");

    let (live, simulated, trace) = replayed(&sent, directory.path());
    assert_eq!(live, simulated);
    // A summary that is not shorter than what it would replace is asked for again, and is not taken.
    assert_eq!((trace.summaries, summaries), (1, 3));
}

#[tokio::test]
async fn an_error_of_the_server_ends_the_agent_without_the_key() {
    let (server, directory) = (MockServer::start().await, tempfile::tempdir().unwrap());
    let refusal = ResponseTemplate::new(401).set_body_string(format!("wrong key {KEY}"));
    Mock::given(method("POST")).respond_with(refusal).mount(&server).await;
    let plan = trimtab::compile_file("examples/agent.trim").unwrap().plan(None).unwrap();
    let endpoint = Server { base_url: server.uri(), model: "small".to_owned(), key: Some(KEY.to_owned()) };
    let error = Agent::new(&plan, endpoint, directory.path()).unwrap().run("x").await.unwrap_err().to_string();
    assert_eq!(error, "401 Unauthorized: check the key");
}
