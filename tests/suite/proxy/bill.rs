//! What a simulation of an observed conversation predicts is what a model with a cache of prefixes reports once the policy is
//! enforced.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use serde_json::{Value as Json, json};
use trimtab::Dialect;
use trimtab::conversation::{Counter as _, Message, Role};
use trimtab::model::TokenCounter;
use trimtab::proxy::Mode;
use trimtab::request::Request;
use trimtab::transcript::message_json;

use super::model::{Model, Received};
use super::{assistant, event_stream, plan, post, settings, start, steps};
use crate::cli::Run;

const POLICY: &str = "edition 2026\npolicy p {\n  rule cut { do trim arrivals over 4k chars to 2k chars }\n  \
                      rule old { when context.results >= 9 do mask results keep 3 results at_least 2k tokens }\n}\n";

const TURNS: usize = 30;

/// The shortest prefix that the model keeps, in tokens.
const MINIMUM: u64 = 1024;
/// How far before a mark the model looks for an entry of its cache.
const LOOKBACK: usize = 20;

/// What a request weighs, and how much of it the model reads from its cache: it has an entry for each marked block of each
/// request, and finds those at the marks of a request or shortly before. It counts like the built-in counter, so that the
/// law is about prefixes and prices, not about the tokenizers of vendors.
fn usage(entries: &Mutex<HashSet<u64>>, request: &Received) -> Json {
    let read_request = Request::read(Dialect::Anthropic, None, request.text()).unwrap();
    let body: Json = serde_json::from_slice(&request.body).unwrap();
    let tools = Message::text(Role::System, body["tools"].to_string());
    let messages: Vec<&Message> =
        [&tools].into_iter().chain(read_request.history().iter().map(AsRef::as_ref)).collect();
    let (mut hash, mut tokens, mut prefixes) = (DefaultHasher::new(), 0, Vec::new());
    for message in &messages {
        message_json(message).to_string().hash(&mut hash);
        tokens += TokenCounter::default().message(message);
        prefixes.push((hash.finish(), tokens));
    }
    // The client marks its tools and its last message.
    let marks = [0, prefixes.len() - 1];
    let mut entries = entries.lock().unwrap();
    let before = |mark: usize| prefixes[mark.saturating_sub(LOOKBACK)..=mark].iter();
    let found = marks.iter().flat_map(|mark| before(*mark)).filter(|(hash, _)| entries.contains(hash));
    let read = found.map(|(_, tokens)| *tokens).max().unwrap_or(0);
    entries.extend(
        marks.iter().map(|mark| prefixes[*mark]).filter(|(_, tokens)| *tokens >= MINIMUM).map(|(hash, _)| hash),
    );
    json!({ "input_tokens": 0, "cache_read_input_tokens": read, "cache_creation_input_tokens": tokens - read, "output_tokens": 1 })
}

/// A conversation through the proxy. What the model has reported: tokens and dollars.
async fn run(folder: &std::path::Path, mode: Mode) -> (f64, f64) {
    let entries = Mutex::new(HashSet::new());
    let sum = std::sync::Arc::new(Mutex::new((0.0, 0.0)));
    let total = std::sync::Arc::clone(&sum);
    let model = Model::start(move |number, request| {
        let usage = usage(&entries, request);
        let of = |key: &str| usage[key].as_f64().unwrap();
        let (read, written) = (of("cache_read_input_tokens"), of("cache_creation_input_tokens"));
        let mut total = total.lock().unwrap();
        total.0 += read + written;
        // Of claude-sonnet-4-5, in dollars.
        total.1 += (read * 0.3 + written * 3.75 + 20.0 * 15.0) / 1e6;
        steps(&event_stream(number - 1, &usage))
    })
    .await;
    let (proxy, address) = start(settings(&model, folder, Some(plan(POLICY)), mode)).await;
    let mut messages = vec![json!({ "role": "user", "content": "Read all files, please." })];
    for turn in 0..TURNS {
        let body = json!({ "model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": messages,
            "tools": [{ "name": "read", "description": "Reads a file. ".repeat(400), "input_schema": {}, "cache_control": { "type": "ephemeral" } }] });
        assert_eq!(post(address, "/v1/messages", "", body.to_string().as_bytes()).await.status, 200);
        messages.push(assistant(turn));
        let lines = (0..40 + turn % 7 * 30).map(|line| format!("{line}: let value_{turn}_{line} = compute({line});\n"));
        let result = json!({ "type": "tool_result", "tool_use_id": format!("call_{turn}"), "content": lines.collect::<String>() });
        messages.push(json!({ "role": "user", "content": [result] }));
    }
    assert_eq!(proxy.failures(), Vec::<String>::new());
    *sum.lock().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simulation_of_what_was_observed_predicts_the_bill() {
    let (observed, enforced) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let recorded = run(observed.path(), Mode::Observe).await;
    let billed = run(enforced.path(), Mode::Enforce).await;
    assert!(billed.0 < recorded.0 * 0.6, "the policy has an effect: {billed:?} of {recorded:?}");
    std::fs::write(observed.path().join("p.trim"), POLICY).unwrap();
    let simulated = |folder: &std::path::Path| {
        let run = Run::new(["simulate".into(), observed.path().join("p.trim"), folder.join("recordings")]);
        let verdict =
            run.arg("--format").arg("json").output().exits_with(0).json()["transcripts"][0]["verdict"].clone();
        let of = |what: &str, key: &str| verdict[what][key].as_f64().unwrap();
        let figures = |key| (of("tokens", key), of("cost", key));
        (figures("recorded"), figures("policy"), figures("low"), figures("high"))
    };
    let is_near = |a: f64, b: f64, share: f64| (a / b - 1.0).abs() <= share;
    let (as_recorded, predicted, low, high) = simulated(observed.path());
    assert!(
        is_near(as_recorded.0, recorded.0, 1e-9) && is_near(as_recorded.1, recorded.1, 1e-3),
        "{as_recorded:?} {recorded:?}"
    );
    assert!(is_near(predicted.0, billed.0, 0.02), "tokens: {predicted:?} predicted, {billed:?} billed");
    assert!(is_near(predicted.1, billed.1, 0.01), "dollars: {predicted:?} predicted, {billed:?} billed");
    assert!(low.0 <= billed.0 && billed.0 <= high.0, "{low:?} {billed:?} {high:?}");
    // The recording of what was enforced has the bill itself; its sizes are those that the session knew before each call.
    let (_, repeated, ..) = simulated(enforced.path());
    assert!(is_near(repeated.0, billed.0, 5e-3) && is_near(repeated.1, billed.1, 1e-3), "{repeated:?} {billed:?}");
}
