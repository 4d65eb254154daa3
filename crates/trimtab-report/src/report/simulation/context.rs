//! What is sent and what happens during a replay, as lines of JSON.

use serde_json::{Map, Value as Json, json};
use trimtab_recordings::transcript::message_json;
use trimtab_simulate::simulate::{Sent, TracedEvent};

/// One line of `--contexts`.
pub fn context_json(transcript: &str, sent: &Sent<'_>) -> Json {
    let messages: Vec<Json> = sent.messages().iter().map(|message| message_json(message)).collect();
    let mut line = Map::new();
    line.insert("transcript".to_owned(), json!(transcript));
    line.insert("call".to_owned(), json!(sent.call));
    line.insert("run".to_owned(), json!(sent.run));
    line.insert("iteration".to_owned(), json!(sent.iteration));
    line.insert("tokens".to_owned(), json!(sent.tokens));
    if !sent.tools.is_empty() {
        line.insert("tools".to_owned(), sent.offered_tools().collect());
    }
    line.insert("messages".to_owned(), Json::Array(messages));
    Json::Object(line)
}

/// The JSON of an event, with the transcript in which it happened and when.
pub fn event_json(transcript: &str, traced: &TracedEvent) -> Json {
    let mut json = json!({
        "transcript": transcript,
        "call": traced.call,
        "run": traced.run,
        "iteration": traced.iteration,
    });
    // The iteration that an event is about replaces the one in which it happened.
    if let (Json::Object(all), Json::Object(own)) = (&mut json, json!(traced.event)) {
        all.extend(own);
    }
    json
}
