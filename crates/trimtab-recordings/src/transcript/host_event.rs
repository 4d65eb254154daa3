//! Events that a host reported during a recorded session.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use smol_str::{SmolStr, ToSmolStr};
use trimtab_base::hook::HostEvent;

use super::wire::Raw;

/// An event that a host reported.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedEvent {
    /// The number of messages before it.
    pub messages: usize,
    /// When it was reported.
    pub moment: EventMoment,
    /// What was reported.
    pub event: Reported,
}

/// What a host reported.
#[derive(Clone, Debug, PartialEq)]
pub enum Reported {
    /// An event.
    Event(HostEvent),
    /// The value of a fact that the policy declares.
    Fact {
        /// The declared name.
        name: SmolStr,
        /// The value as a policy writes it, a text without quotes, or `None` if it has become unknown.
        value: Option<SmolStr>,
    },
    /// What requests name besides their messages, from the next one on.
    Requested(Requested),
}

/// What a request names besides its messages, as far as it differs from the request before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<SmolStr>,
    /// The tools, each with the tokens of its schema, or `None` where they are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeMap<SmolStr, Option<u64>>>,
}

impl Requested {
    /// Whether nothing differs.
    pub const fn is_empty(&self) -> bool {
        self.model.is_none() && self.tools.is_none()
    }
}

impl From<HostEvent> for Reported {
    fn from(event: HostEvent) -> Self {
        Self::Event(event)
    }
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

/// Converts what a host reported to the JSON of its line.
pub fn event_json(event: &Reported, moment: EventMoment) -> Json {
    let mut json = match event {
        Reported::Event(event) => json!(event),
        Reported::Fact { name, value } => json!({ "fact": name, "value": value }),
        Reported::Requested(requested) => json!({ "requested": requested }),
    };
    if let Some((_, word)) = WORDS.iter().find(|(listed, _)| *listed == moment) {
        json["moment"] = (*word).into();
    }
    json
}

/// Reads the event, the fact or the request of a line.
pub(super) fn parse(raw: Raw<'_>) -> Option<(Reported, EventMoment)> {
    let json = raw.json()?;
    let word = json.get("moment").and_then(Json::as_str);
    let moment = WORDS.iter().find(|(_, listed)| Some(*listed) == word).map(|(moment, _)| *moment);
    let event = match (json.get("fact"), json.get("requested")) {
        (None, Some(requested)) => Reported::Requested(Requested::deserialize(requested).ok()?),
        (Some(name), _) => {
            let value = match json.get("value")? {
                Json::Null => None,
                value => Some(fact_value(value)?),
            };
            Reported::Fact { name: name.as_str()?.into(), value }
        }
        (None, None) => Reported::Event(serde_json::from_value(json).ok()?),
    };
    Some((event, moment.unwrap_or_default()))
}

/// Returns the value of a fact as a text, or `None` for a value of another kind.
fn fact_value(json: &Json) -> Option<SmolStr> {
    match json {
        Json::String(text) => Some(text.into()),
        Json::Number(number) => Some(number.to_smolstr()),
        Json::Bool(truth) => Some(truth.to_smolstr()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}
