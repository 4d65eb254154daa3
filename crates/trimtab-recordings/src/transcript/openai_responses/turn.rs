//! One model call: what is recorded of its request and of its response.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Service, Tier, Usage};

use crate::transcript::record::Skipped;
use crate::transcript::wire::{Fields, Raw, Str};
use crate::transcript::{item, time};

/// An object with fields of a request, of a response, or of both.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Envelope<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    custom_id: Str<'a>,
    session_id: Str<'a>,
    model: Str<'a>,
    pub(super) instructions: Option<Raw<'a>>,
    pub(super) input: Option<Raw<'a>>,
    pub(super) output: Option<Raw<'a>>,
    pub(super) tools: Option<Raw<'a>>,
    usage: Option<Raw<'a>>,
    previous_response_id: Str<'a>,
    conversation: Option<Raw<'a>>,
    created_at: Option<Raw<'a>>,
    timestamp: Option<Raw<'a>>,
    service_tier: Str<'a>,
    request: Option<Raw<'a>>,
    response: Option<Raw<'a>>,
    body: Option<Raw<'a>>,
}

/// A model call.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    /// The response, the request, and the object around them, as far as there are any.
    envelopes: Vec<Envelope<'a>>,
}

impl<'a> Turn<'a> {
    /// The call in a record. Returns `None` if it has neither input nor output.
    pub(super) fn of(raw: Raw<'a>) -> Option<Self> {
        let outer: Envelope<'a> = raw.object()?;
        let nested = |raw: Option<Raw<'a>>| {
            let inner: Envelope<'a> = raw?.object()?;
            Some(inner.body.and_then(Raw::object).unwrap_or(inner))
        };
        let inner = [nested(outer.response), nested(outer.request), nested(outer.body)];
        let envelopes: Vec<_> = inner.into_iter().flatten().chain([outer]).collect();
        let has_list = |raw: Option<Raw<'_>>| raw.is_some_and(|raw| raw.is_array() || raw.is_string());
        let is_call = envelopes.iter().any(|one| has_list(one.input) || has_list(one.output));
        is_call.then_some(Self { envelopes })
    }

    fn find<T>(&self, get: impl Fn(&Envelope<'a>) -> Option<T>) -> Option<T> {
        self.envelopes.iter().find_map(get)
    }

    /// A raw field. One that is neither a list nor a text and nests too deeply is counted as skipped.
    pub(super) fn field(
        &self,
        get: impl Fn(&Envelope<'a>) -> Option<Raw<'a>>,
        skipped: &mut Skipped,
    ) -> Option<Raw<'a>> {
        let raw = self.find(|one| get(one).filter(|raw| !raw.is_null()))?;
        (raw.is_array() || skipped.accepts(&raw)).then_some(raw)
    }

    /// The id of the response.
    pub(super) fn response_id(&self) -> Option<SmolStr> {
        self.find(|one| one.id.non_empty().filter(|_| one.output.is_some()))
    }

    /// The id of the conversation that the provider keeps.
    pub(super) fn conversation_id(&self) -> Option<SmolStr> {
        self.find(|one| {
            let raw = one.conversation?;
            let id = raw.object::<Fields<'a>>().and_then(|fields| fields.get("id")).unwrap_or(raw);
            id.parse::<Str<'_>>()?.non_empty()
        })
    }

    /// The id of the response or conversation that this call continues.
    pub(super) fn previous_id(&self) -> Option<SmolStr> {
        self.find(|one| one.previous_response_id.non_empty()).or_else(|| self.conversation_id())
    }

    /// Whether the model saw messages of a previous response.
    pub(super) fn has_unrecorded_history(&self) -> bool {
        self.find(|one| one.previous_response_id.non_empty()).is_some()
    }

    /// The id of a transcript that begins with this call.
    pub(super) fn transcript_id(&self) -> String {
        let outer = self.find(|one| one.custom_id.non_empty().or_else(|| one.session_id.non_empty()));
        let id = outer.or_else(|| self.conversation_id()).or_else(|| self.find(|one| one.id.non_empty()));
        id.map(String::from).unwrap_or_default()
    }

    pub(super) fn model(&self) -> Option<SmolStr> {
        self.find(|one| one.model.non_empty())
    }

    pub(super) fn usage(&self) -> Option<Usage> {
        let usage = self.find(|one| item::usage(one.usage?))?;
        // The request asks for a tier, and the response states the one that served it.
        let tier = self.find(|one| one.service_tier.non_empty().filter(|tier| tier != "auto"));
        let tier = tier.map(|tier| Tier::named(&tier)).unwrap_or_default();
        Some(Usage { service: Service { tier, ..usage.service }, ..usage })
    }

    pub(super) fn time(&self) -> Option<SmolStr> {
        self.find(|one| one.created_at.or(one.timestamp).and_then(time::parse))
    }
}
