//! What is simulated is what runs: for any conversation, policy and dialect, with errors of the provider and restarts, the proxy
//! sends what a simulation of its recording shows.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::Value as Json;
use trimtab::conversation::Role;
use trimtab::proxy::{Mode, Proxy};
use trimtab::request::{Dialect, Request};
use trimtab::{Host, transcript};

use super::model::Model;
use super::{plan, post, settings, start};
use crate::endpoint::server::{Step, reply};
use crate::request::normal::normal;
use crate::request::written::{self, Hand, Written};
use crate::request::{begins_with_moved_system, comparable, dialect, elements, replayed, valid, with_additions};
use crate::{generated, laws};

/// What happens around a request.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    None,
    /// The provider fails first, and the client sends the same bytes again.
    Failure,
    /// The answer is lost on its way, and the client sends the same bytes again.
    Lost,
    /// Another process continues.
    Restart,
}

fn troubles() -> impl Strategy<Value = Vec<Trouble>> {
    let one = prop_oneof![
        3 => Just(Trouble::None),
        1 => Just(Trouble::Failure),
        1 => Just(Trouble::Lost),
        2 => Just(Trouble::Restart),
    ];
    prop::collection::vec(one, 1..8)
}

fn path(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Anthropic => "/v1/messages",
        Dialect::OpenAiChat => "/v1/chat/completions",
        Dialect::OpenAiResponses => "/v1/responses",
        _ => "/v1beta/models/m:generateContent",
    }
}

/// A body that declares a tool, as one must that is edited: a shell, in which the agent can recall.
fn with_tools(dialect: Dialect, json: &str) -> String {
    let tool = match dialect {
        Dialect::Anthropic => r#"{"name":"bash","input_schema":{}}"#,
        Dialect::OpenAiChat => r#"{"type":"function","function":{"name":"bash"}}"#,
        Dialect::OpenAiResponses => r#"{"type":"function","name":"bash"}"#,
        _ => r#"{"functionDeclarations":[{"name":"bash"}]}"#,
    };
    json.replacen(r#""stream":true"#, &format!(r#""tools":[{tool}]"#), 1)
}

/// The reply as a response body, with the tokens of the request.
fn response(dialect: Dialect, reply: &str, input: u32) -> String {
    match dialect {
        Dialect::OpenAiChat => format!(
            r#"{{"choices":[{{"message":{reply},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":{input},"completion_tokens":3}}}}"#
        ),
        Dialect::OpenAiResponses => {
            format!(r#"{{"status":"completed","output":{reply},"usage":{{"input_tokens":{input},"output_tokens":3}}}}"#)
        }
        Dialect::Gemini => format!(
            r#"{{"candidates":[{{"content":{reply},"finishReason":"STOP"}}],"usageMetadata":{{"promptTokenCount":{input}}}}}"#
        ),
        _ => {
            let rest = reply.trim_start().trim_start_matches('{');
            format!(r#"{{"usage":{{"input_tokens":{input},"output_tokens":3}},{rest}"#)
        }
    }
}

/// The requests of a client, each with the response to it.
fn exchanges(dialect: Dialect, written: &Written, inputs: &[u32]) -> Vec<(String, String)> {
    let whole = Request::read(dialect, None, written.json(written.len())).expect("a request");
    let begins_reply = |at: &usize| {
        let messages = whole.messages_of(*at);
        let is_first = *at == 0 || whole.messages_of(at - 1) != messages;
        is_first && !messages.is_empty() && whole.history()[messages.start].role == Role::Assistant
    };
    let exchange = |(at, input): (usize, &u32)| {
        (with_tools(dialect, &written.json(at)), response(dialect, &written.reply(at, &whole), *input))
    };
    (0..written.len()).filter(begins_reply).zip(inputs.iter().cycle()).map(exchange).collect()
}

/// The proxy that runs now, and where.
struct Running<'f> {
    model: &'f Model,
    folder: &'f std::path::Path,
    policy: &'f str,
    proxy: Arc<Proxy>,
    address: SocketAddr,
}

impl<'f> Running<'f> {
    async fn start(model: &'f Model, folder: &'f std::path::Path, policy: &'f str) -> Self {
        let mut settings = settings(model, folder, Some(plan(policy)), Mode::Enforce);
        settings.host = Host::new().window(3000);
        let (proxy, address) = start(settings).await;
        Self { model, folder, policy, proxy, address }
    }

    async fn restart(&mut self) {
        *self = Self::start(self.model, self.folder, self.policy).await;
    }
}

/// Sends all requests. Returns the bodies that reached the model and that it answered.
async fn sent(
    folder: &std::path::Path,
    policy: &str,
    dialect: Dialect,
    exchanges: &[(String, String)],
    troubles: &[Trouble],
) -> Result<(Vec<String>, Arc<Proxy>), TestCaseError> {
    let next: Arc<Mutex<Vec<Step>>> = Arc::default();
    let answer = Arc::clone(&next);
    let model = Model::start(move |_, _| std::mem::take(&mut *answer.lock().unwrap())).await;
    let mut running = Running::start(&model, folder, policy).await;
    let (mut bodies, mut troubles) = (Vec::new(), troubles.iter().cycle());
    for (request, response) in exchanges {
        let answer = |status, body: &str| {
            *next.lock().unwrap() = vec![Step::Send(reply(status, "content-type: application/json\r\n", body))];
        };
        let trouble = *troubles.next().expect("a cycle");
        match trouble {
            Trouble::None => {}
            Trouble::Failure => {
                answer(500, "{}");
                post(running.address, path(dialect), "", request.as_bytes()).await;
            }
            Trouble::Lost => {
                // A body that ends too early is no reply.
                let whole = reply(200, "content-type: application/json\r\n", response);
                *next.lock().unwrap() = vec![Step::Send(whole[..whole.len() - response.len() / 2 - 1].to_vec())];
                post(running.address, path(dialect), "", request.as_bytes()).await;
            }
            Trouble::Restart => running.restart().await,
        }
        let before = model.received().len();
        answer(200, response);
        let answered = post(running.address, path(dialect), "", request.as_bytes()).await;
        let Some(received) = model.received().get(before).cloned() else {
            // A rule has stopped the run.
            prop_assert_eq!(answered.status, 400, "{}", String::from_utf8_lossy(&answered.body));
            break;
        };
        prop_assert_eq!(answered.status, 200, "{}", String::from_utf8_lossy(&answered.body));
        prop_assert_eq!(String::from_utf8_lossy(&answered.body), response.as_str());
        bodies.push(received.text());
    }
    prop_assert_eq!(running.proxy.failures(), Vec::<String>::new());
    Ok((bodies, running.proxy))
}

/// The recording that continues the conversation to its end.
fn recording(folder: &std::path::Path) -> Option<transcript::Transcript> {
    let files = std::fs::read_dir(folder.join("recordings")).ok()?;
    let texts = files.map(|file| std::fs::read(file.expect("a file").path()).expect("a recording"));
    let read = texts.map(|text| transcript::read(&text, None).expect("a recording").transcripts.remove(0));
    read.max_by_key(|transcript| transcript.messages.len())
}

fn check(
    events: &[generated::Event],
    policy: &str,
    dialect: Dialect,
    hand: &Hand,
    troubles: &[Trouble],
    inputs: &[u32],
) -> Result<(), TestCaseError> {
    let messages = valid::repaired(&generated::transcript(events).messages, dialect);
    let written = Written::new(dialect, &messages, hand);
    let exchanges = exchanges(dialect, &written, inputs);
    let compiled = laws::plan(policy);
    if exchanges.is_empty() {
        return Ok(());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let (bodies, _proxy) = runtime.block_on(sent(folder.path(), policy, dialect, &exchanges, troubles))?;
    let Some(recording) = recording(folder.path()) else {
        prop_assert!(bodies.is_empty(), "without a recording nothing is edited");
        return Ok(());
    };
    let expected = replayed(&compiled, &recording, dialect);
    prop_assert!(expected.len() >= bodies.len(), "{} calls are recorded, {} were made", expected.len(), bodies.len());
    for (at, body) in bodies.iter().enumerate() {
        let read = Request::read(dialect, None, body).expect("a request");
        let [old, new] = [&exchanges[at].0, body].map(|json| elements(dialect, json));
        if begins_with_moved_system(dialect, &old, &new) {
            continue;
        }
        let Some(expected) = expected[at].clone() else {
            panic!("call {at} was made, and the replay has stopped before it")
        };
        let [sent, expected] = comparable(dialect, [normal(&with_additions(&read, &[])), expected]);
        prop_assert_eq!(sent, expected, "call {}\n{}\n{}\n{}", at, policy, exchanges[at].0, body);
    }
    // What was not edited keeps its bytes.
    for ((request, _), body) in exchanges.iter().zip(&bodies) {
        let [old, new]: [Json; 2] = [request, body].map(|json| serde_json::from_str(json).expect("JSON"));
        prop_assert!(old != new || request == body, "{}\n{}", request, body);
    }
    Ok(())
}

proptest! {
    #![proptest_config(generated::cases(24))]

    #[test]
    fn the_proxy_sends_what_a_simulation_of_its_recording_shows(
        events in generated::events(),
        policy in generated::policy(),
        dialect in dialect(),
        hand in written::hand(),
        troubles in troubles(),
        // Providers report sizes that nothing explains.
        inputs in prop::collection::vec(0..40_000_u32, 1..8),
    ) {
        check(&events, &policy, dialect, &hand.with_body(), &troubles, &inputs)?;
    }
}
