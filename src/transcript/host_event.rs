//! Events that a host reported during a recorded session.

use serde_json::{Value as Json, json};

use crate::hook::HostEvent;

/// An event that a host reported.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedEvent {
    /// The number of messages before it.
    pub messages: usize,
    /// When it was reported.
    pub moment: EventMoment,
    /// The event.
    pub event: HostEvent,
}

/// When an event was reported, between two messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventMoment {
    /// At no special moment.
    #[default]
    Any,
    /// After the iteration of the last call had ended.
    AfterIteration,
    /// During a model call: after its request was prepared, before its reply.
    DuringCall,
}

/// The words of moments in recordings.
const WORDS: [(EventMoment, &str); 2] =
    [(EventMoment::AfterIteration, "after_iteration"), (EventMoment::DuringCall, "during_call")];

/// Converts an event to the JSON of its line.
pub fn event_json(event: &HostEvent, moment: EventMoment) -> Json {
    let mut json = json!(event);
    if let Some((_, word)) = WORDS.iter().find(|(known, _)| *known == moment) {
        json["moment"] = (*word).into();
    }
    json
}

/// Reads the event of a line.
pub(super) fn parse(line: &str) -> Option<(HostEvent, EventMoment)> {
    let json: Json = serde_json::from_str(line).ok()?;
    let word = json.get("moment").and_then(Json::as_str);
    let moment = WORDS.iter().find(|(_, known)| Some(*known) == word).map(|(moment, _)| *moment);
    let event = serde_json::from_value(json).ok()?;
    Some((event, moment.unwrap_or_default()))
}
