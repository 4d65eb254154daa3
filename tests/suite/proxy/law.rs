//! What is simulated is what runs: for any conversation, policy and dialect, with errors of the provider, restarts, and clients that
//! fork and compact their conversations, the proxy sends what a simulation of its recordings shows.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::Value as Json;
use trimtab::conversation::Role;
use trimtab::plan::Plan;
use trimtab::proxy::{Mode, Proxy};
use trimtab::request::{Dialect, Request};
use trimtab::{Host, transcript};

use super::model::Model;
use super::{plan, post, settings, start};
use crate::endpoint::server::{Step, reply};
use crate::request::client_list::{beginning, compacted, with_message};
use crate::request::normal::{NormalMessage, normal, prompt, with_texts, without_prompt};
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

/// What the client does before it goes on.
#[derive(Clone, Debug)]
enum Move {
    GoOn,
    /// It asks something else about a part of the conversation.
    Fork(prop::sample::Index),
    /// It adds a message, and takes it back after the reply.
    Abort,
    /// It replaces the beginning with a summary of its own.
    Compact(prop::sample::Index),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        6 => Just(Move::GoOn),
        1 => any::<prop::sample::Index>().prop_map(Move::Fork),
        1 => Just(Move::Abort),
        1 => any::<prop::sample::Index>().prop_map(Move::Compact),
    ];
    prop::collection::vec(one, 1..8)
}

/// A request of a client, and the response to it.
struct Exchange {
    /// The client's number.
    client: usize,
    request: String,
    response: String,
    /// Whether the later history of the client leaves it out.
    is_aside: bool,
    /// Whether the client sends it only if a rule has stopped its request before this one. It ends the conversation.
    is_after_stop: bool,
}

fn path(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Anthropic => "/v1/messages",
        Dialect::OpenAiChat => "/v1/chat/completions",
        Dialect::OpenAiResponses => "/v1/responses",
        _ => "/v1beta/models/m:generateContent",
    }
}

/// A body that declares a shell in place of streaming: only requests with tools are edited, and offloading needs a shell.
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
        Dialect::Anthropic => {
            let rest = reply.trim_start().trim_start_matches('{');
            format!(r#"{{"usage":{{"input_tokens":{input},"output_tokens":3}},{rest}"#)
        }
        _ => format!(
            r#"{{"candidates":[{{"content":{reply},"finishReason":"STOP"}}],"usageMetadata":{{"promptTokenCount":{input}}}}}"#
        ),
    }
}

/// A short reply.
fn short_reply(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenAiChat => r#"{"role":"assistant","content":"By the way."}"#,
        Dialect::OpenAiResponses => {
            r#"[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"By the way."}]}]"#
        }
        Dialect::Anthropic => r#"{"role":"assistant","content":[{"type":"text","text":"By the way."}]}"#,
        _ => r#"{"role":"model","parts":[{"text":"By the way."}]}"#,
    }
}

/// The system prompt of generated conversations.
const PROMPT: &str = "You are a test.";

/// What a client may write in place of it.
fn numbered_prompt(number: usize) -> String {
    format!("You are test {number}.")
}

/// The messages with the prompt in place of each that a client has written instead. What goes on with another system prompt is
/// recorded with the first one.
fn with_one_prompt(messages: Vec<NormalMessage>, requests: usize) -> Vec<NormalMessage> {
    let one = |text: &str| {
        (1..=requests).fold(text.to_owned(), |text, number| text.replace(&numbered_prompt(number), PROMPT))
    };
    with_texts(messages, one)
}

/// What a client sends.
fn exchanges(client: usize, dialect: Dialect, written: &Written, course: &Course) -> Vec<Exchange> {
    let whole = Request::read(dialect, None, written.json(written.len())).expect("a request");
    let begins_reply = |at: usize| {
        let messages = whole.messages_of(at);
        let is_first = at == 0 || whole.messages_of(at - 1) != messages;
        is_first && !messages.is_empty() && whole.history()[messages.start].role == Role::Assistant
    };
    let (mut inputs, mut moves, mut number) = (course.inputs.iter().cycle(), course.moves.iter().cycle(), 0);
    let mut exchange = |list: &[String], reply: &str, is_aside| {
        let mut request = with_tools(dialect, &written.list(list.iter().map(String::as_str)));
        if course.has_new_prompts {
            number += 1;
            request = request.replacen(PROMPT, &numbered_prompt(number), 1);
        }
        let response = response(dialect, reply, *inputs.next().expect("a cycle"));
        Exchange { client, request, response, is_aside, is_after_stop: false }
    };
    let (mut all, mut list) = (Vec::new(), Vec::new());
    for (at, element) in written.elements().iter().enumerate() {
        if begins_reply(at) {
            let other = match moves.next().expect("a cycle") {
                Move::GoOn => None,
                Move::Fork(index) => {
                    let beginning = beginning(written, dialect, &list, *index);
                    Some(with_message(dialect, &beginning, "And what is this?"))
                }
                Move::Abort => Some(with_message(dialect, &list, "Wait.")),
                Move::Compact(index) => {
                    list = compacted(written, dialect, &list, *index, at);
                    None
                }
            };
            all.extend(other.map(|other| exchange(&other, short_reply(dialect), true)));
            all.push(exchange(&list, &written.reply(at, &whole), false));
            let resumed = with_message(dialect, &list, "Go on.");
            all.push(Exchange { is_after_stop: true, ..exchange(&resumed, short_reply(dialect), true) });
        }
        list.push(element.clone());
    }
    all
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

/// Sends all requests. Returns the body that the model received for each of them, or none if a rule has stopped it; and the proxy.
async fn sent(
    folder: &std::path::Path,
    policy: &str,
    dialect: Dialect,
    exchanges: &[Exchange],
    troubles: &[Trouble],
) -> Result<(Vec<Option<String>>, Arc<Proxy>), TestCaseError> {
    let next: Arc<Mutex<Vec<Step>>> = Arc::default();
    let answer = Arc::clone(&next);
    let model = Model::start(move |_, _| std::mem::take(&mut *answer.lock().unwrap())).await;
    let mut running = Running::start(&model, folder, policy).await;
    let (mut bodies, mut troubles) = (Vec::new(), troubles.iter().cycle());
    let (mut stopped, mut resumed) = (Vec::new(), Vec::new());
    for Exchange { client, request, response, is_aside, is_after_stop } in exchanges {
        if stopped.contains(client) != *is_after_stop || resumed.contains(client) {
            bodies.push(None);
            continue;
        }
        if *is_after_stop {
            resumed.push(*client);
        }
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
                // A truncated body is no reply.
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
            if !is_aside {
                stopped.push(*client);
            }
            bodies.push(None);
            continue;
        };
        prop_assert_eq!(answered.status, 200, "{}", String::from_utf8_lossy(&answered.body));
        prop_assert_eq!(String::from_utf8_lossy(&answered.body), response.as_str());
        bodies.push(Some(received.text()));
    }
    prop_assert_eq!(running.proxy.failures(), Vec::<String>::new());
    Ok((bodies, running.proxy))
}

/// The recordings in a folder.
fn recordings(folder: &std::path::Path) -> Vec<transcript::Transcript> {
    let Ok(files) = std::fs::read_dir(folder.join("recordings")) else { return Vec::new() };
    let texts = files.map(|file| std::fs::read(file.expect("a file").path()).expect("a recording"));
    texts.map(|text| transcript::read(&text, None).expect("a recording").transcripts.remove(0)).collect()
}

/// The requests of both clients. `order` says which client is next as long as both have requests.
fn interleaved(clients: [Vec<Exchange>; 2], order: &[bool]) -> Vec<Exchange> {
    let [mut first, mut second] = clients.map(|all| all.into_iter().peekable());
    let (mut all, mut order) = (Vec::new(), order.iter().cycle());
    while first.peek().is_some() && second.peek().is_some() {
        let is_first = *order.next().expect("a cycle");
        all.extend(if is_first { first.next() } else { second.next() });
    }
    all.extend(first.chain(second));
    all
}

/// What happens in a case.
#[derive(Clone, Debug)]
struct Course {
    troubles: Vec<Trouble>,
    moves: Vec<Move>,
    /// The tokens that the provider reports, whatever the size of the request.
    inputs: Vec<u32>,
    /// Which of two clients is next.
    order: Vec<bool>,
    /// Whether clients write a new system prompt into each request.
    has_new_prompts: bool,
}

fn course() -> impl Strategy<Value = Course> {
    let (inputs, order) = (prop::collection::vec(0..40_000_u32, 1..8), prop::collection::vec(any::<bool>(), 1..8));
    let course = (troubles(), moves(), inputs, order, prop::bool::weighted(0.2));
    course.prop_map(|(troubles, moves, inputs, order, has_new_prompts)| Course {
        troubles,
        moves,
        inputs,
        order,
        has_new_prompts,
    })
}

fn check(
    clients: [&[generated::Event]; 2],
    policy: &str,
    dialect: Dialect,
    hand: &Hand,
    course: &Course,
) -> Result<(), TestCaseError> {
    let clients = [0, 1].map(|client| {
        let messages = valid::repaired(&generated::transcript(clients[client]).messages, dialect);
        exchanges(client, dialect, &Written::new(dialect, &messages, hand), course)
    });
    let exchanges = interleaved(clients, &course.order);
    let compiled = laws::plan(policy);
    if exchanges.is_empty() {
        return Ok(());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let (bodies, _proxy) = runtime.block_on(sent(folder.path(), policy, dialect, &exchanges, &course.troubles))?;
    let recordings = recordings(folder.path());
    let contexts = |plan: &Plan| -> Vec<_> {
        let all = recordings.iter().flat_map(|recording| replayed(plan, recording, dialect));
        all.map(|context| context.map(|context| with_one_prompt(context, exchanges.len()))).collect()
    };
    let (asked, expected) = (contexts(&Plan::without_rules()), contexts(&compiled));
    for (exchange, body) in exchanges.iter().zip(&bodies) {
        let (request, Some(body)) = (&exchange.request, body) else { continue };
        let [old, new] = [request, body].map(|json| elements(dialect, json));
        // A system message that has moved to the front is read back as the prompt, so the two cannot be compared.
        if begins_with_moved_system(dialect, &old, &new) {
            continue;
        }
        let [asked_here, sent] = [request, body].map(|json| {
            let read = Request::read(dialect, None, json).expect("a request");
            with_one_prompt(normal(&with_additions(&read, &[])), exchanges.len())
        });
        let known =
            || asked.iter().zip(&expected).filter_map(|(asked, expected)| asked.as_ref().zip(expected.as_ref()));
        let equal = known().filter(|(asked, _)| **asked == asked_here);
        let mut calls: Vec<[Vec<NormalMessage>; 2]> =
            equal.map(|(_, expected)| [sent.clone(), expected.clone()]).collect();
        if calls.is_empty() {
            // Two clients with different prompts may have the same first messages.
            let here = |list: &[NormalMessage]| without_prompt(list, prompt(&asked_here));
            let equal = known().filter(|(asked, _)| without_prompt(asked, prompt(asked)) == here(&asked_here));
            calls = equal.map(|(asked, expected)| [here(&sent), without_prompt(expected, prompt(asked))]).collect();
        }
        prop_assert!(!calls.is_empty(), "not recorded\n{}\n{}", policy, request);
        // A person may ask the same again in another branch.
        let mut differences = Vec::new();
        let is_simulated = calls.into_iter().any(|lists| {
            let [sent, expected] = comparable(dialect, lists);
            let is_equal = sent == expected;
            differences.push(expected);
            is_equal
        });
        prop_assert!(is_simulated, "{}\n{}\n{}\n{:#?}\n{:#?}", policy, request, body, sent, differences);
    }
    // What was not edited keeps its bytes, and what was edited the prompt that the client has written last.
    let prompts: Vec<String> = (1..=exchanges.len()).map(numbered_prompt).collect();
    for (Exchange { request, .. }, body) in exchanges.iter().zip(&bodies) {
        let Some(body) = body else { continue };
        let stale = prompts.iter().find(|prompt| request.contains(*prompt) && !body.contains(*prompt));
        prop_assert!(stale.is_none(), "{:?} is not sent\n{}\n{}", stale, request, body);
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
        // What the second client has: nothing, the conversation of the first one (`None`), or another one.
        other in prop_oneof![2 => Just(Some(Vec::new())), 1 => Just(None), 1 => generated::events().prop_map(Some)],
        policy in generated::policy(),
        dialect in dialect(),
        hand in written::hand(),
        course in course(),
    ) {
        let other = other.as_ref().unwrap_or(&events);
        check([&events, other], &policy, dialect, &hand.with_body(), &course)?;
    }
}
