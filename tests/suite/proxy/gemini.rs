//! A client of Gemini, whose calls have no ids and whose address names the model.

use serde_json::{Value as Json, json};
use trimtab::proxy::Mode;
use trimtab::{Dialect, Host, Next, Session, transcript};

use super::model::Model;
use super::{POLICY, plan, post, settings, start, steps, texts};

fn reply(turn: usize) -> Json {
    let call = json!({ "functionCall": { "name": "read", "args": { "path": format!("f{turn}") } }, "thoughtSignature": "c2ln" });
    json!({ "role": "model", "parts": [{ "text": format!("Step {turn}.") }, call] })
}

/// Requests of a client that reads a file at each step.
fn requests(turns: usize) -> Vec<String> {
    let mut contents = vec![json!({ "role": "user", "parts": [{ "text": "Read all files, please." }] })];
    let mut requests = Vec::new();
    for turn in 0..turns {
        let body = json!({
            "systemInstruction": { "parts": [{ "text": "You read." }] },
            "contents": contents,
            "tools": [{ "functionDeclarations": [{ "name": "read", "parametersJsonSchema": {} }] }],
        });
        requests.push(body.to_string());
        contents.push(reply(turn));
        let text = format!("File {turn} has \u{fc}nicode. ").repeat(20 + 10 * turn);
        let response = json!({ "functionResponse": { "name": "read", "response": { "output": text } } });
        contents.push(json!({ "role": "user", "parts": [response] }));
    }
    requests
}

fn events(turn: usize) -> String {
    let reply = reply(turn);
    let parts = reply["parts"].as_array().unwrap();
    let event = |parts: Json, rest: &Json| {
        let mut event = json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "index": 0 }] });
        for (key, value) in rest.as_object().unwrap() {
            event[key] = value.clone();
        }
        format!("data: {event}\r\n\r\n")
    };
    let usage = json!({ "promptTokenCount": 500 + 100 * turn, "candidatesTokenCount": 20, "totalTokenCount": 520 + 100 * turn });
    let mut text = event(json!([{ "text": "Step " }]), &json!({ "modelVersion": "gemini-3-pro" }));
    text += &event(json!([{ "text": format!("{turn}.") }]), &json!({}));
    text += &event(json!([parts[1]]), &json!({}));
    let mut last = json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "" }] }, "finishReason": "STOP", "index": 0 }] });
    last["usageMetadata"] = usage;
    text + &format!("data: {last}\r\n\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_ids_of_calls_is_followed_over_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| steps(&events(number - 1))).await;
    let requests = requests(6);
    let path = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse";
    for (turn, request) in requests.iter().enumerate() {
        let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
        let answer = post(address, path, "x-goog-api-key: k\r\n", request.as_bytes()).await;
        assert_eq!((answer.status, String::from_utf8(answer.body).unwrap()), (200, events(turn)));
        assert_eq!(proxy.failures(), Vec::<String>::new());
        assert_eq!(proxy.counters().decisions, 1);
    }
    let mut session = Session::new(&plan(POLICY), Host::new().model("gemini-3-pro"));
    let mut expected = Vec::new();
    for (turn, request) in requests.iter().enumerate() {
        let Next::Send(prepared) = session.before_request(Dialect::Gemini, request, None).unwrap() else {
            panic!("a request")
        };
        expected.push(prepared.json.to_string());
        let body = json!({ "candidates": [{ "content": reply(turn) }],
            "usageMetadata": { "promptTokenCount": 500 + 100 * turn, "candidatesTokenCount": 20 } });
        assert!(matches!(session.after_reply(&body.to_string(), None).unwrap(), Next::Ready));
    }
    let sent = texts(&model.received());
    assert_eq!(sent, expected);
    assert!(sent[5].len() < requests[5].len() / 2, "the policy edits");

    let mut files = std::fs::read_dir(folder.path().join("recordings")).unwrap();
    let recording = std::fs::read(files.next().unwrap().unwrap().path()).unwrap();
    assert!(files.next().is_none(), "one conversation is one file");
    let read = transcript::read(&recording, None).unwrap().transcripts.remove(0);
    assert_eq!(read.model.as_deref(), Some("gemini-3-pro"));
    let replies = read.messages.iter().filter(|message| message.calls().next().is_some());
    let usage: Vec<Option<u64>> = replies.map(|reply| reply.usage.map(trimtab::Usage::context)).collect();
    assert_eq!(usage, (0..6).map(|turn| Some(500 + 100 * turn)).collect::<Vec<_>>());
    let results = read.messages.iter().flat_map(|message| message.results()).map(|result| result.id.to_string());
    assert_eq!(results.collect::<Vec<_>>(), ["call-1", "call-2", "call-3", "call-4", "call-5"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_that_a_client_makes_up_start_no_other_recording() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|number, _| steps(&events(number - 1))).await;
    let (proxy, address) = start(settings(&model, folder.path(), Some(plan(POLICY)), Mode::Enforce)).await;
    for request in requests(4) {
        // As Gemini CLI does for a call that came without an id.
        let mut body: Json = serde_json::from_str(&request).unwrap();
        for (at, content) in body["contents"].as_array_mut().unwrap().iter_mut().enumerate() {
            for part in content["parts"].as_array_mut().unwrap() {
                for key in ["functionCall", "functionResponse"] {
                    if let Some(function) = part.get_mut(key) {
                        function["id"] = format!("read_17958447{:05}_0", at.div_ceil(2)).into();
                    }
                }
            }
        }
        let path = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse";
        let answer = post(address, path, "x-goog-api-key: k\r\n", body.to_string().as_bytes()).await;
        assert_eq!(answer.status, 200);
    }
    assert_eq!(proxy.failures(), Vec::<String>::new());
    let recordings: Vec<_> = std::fs::read_dir(folder.path().join("recordings")).unwrap().collect();
    assert_eq!(recordings.len(), 1, "one conversation is one file");
    let sent = texts(&model.received());
    assert!(sent[3].contains("read_1795844700001_0"), "what is sent keeps the ids of the client");
}
