//! The models of a session, with their windows and their prices.

use serde_json::Value as Json;
use trimtab::quantity::Decimal;

use super::bound::BINDING_MODEL;
use super::machine::Agent;
use super::rule::Policy;

/// The model of the next call.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    id: Option<String>,
    /// Whether calls have the models of their replies, since the policy chooses no other.
    follows: bool,
    has_fixed_window: bool,
    first: Option<String>,
    first_window: Option<u64>,
    declared_window: Option<u64>,
}

/// The window of a model, and its dollars for a million tokens: uncached input, cache reads, cache writes, output.
fn listed(id: &str) -> Option<(u64, [Decimal; 4])> {
    let decimal = |text: &str| text.parse::<Decimal>().expect("a price");
    match id {
        "claude-sonnet-4-5" => Some((200_000, ["3", "0.3", "3.75", "15"].map(decimal))),
        BINDING_MODEL => Some((1_000_000, ["10", "0.25", "12.5", "50"].map(decimal))),
        "gpt-5-mini" => Some((272_000, ["0.25", "0.025", "0.25", "2"].map(decimal))),
        _ => None,
    }
}

/// The model of the header, or that of the first reply that names one.
fn recorded(header: &Json, lines: &[Json]) -> Option<String> {
    let own = |line: &Json| line["model"].as_str().map(ToOwned::to_owned);
    own(header).or_else(|| lines.iter().find_map(own))
}

impl Model {
    pub(super) fn of(policy: &Policy, header: &Json, lines: &[Json]) -> Self {
        let recorded = recorded(header, lines);
        let id = policy.model.map(ToOwned::to_owned).or_else(|| recorded.clone());
        let declared_window = header["window"].as_u64();
        let standard = id.as_deref().and_then(listed).map(|(window, _)| window);
        Self {
            follows: id == recorded,
            has_fixed_window: policy.window.is_some(),
            first: id.clone(),
            first_window: policy.window.or(declared_window).or(standard),
            declared_window,
            id,
        }
    }

    /// The model of the call.
    pub(super) fn id(&self) -> Option<String> {
        self.id.clone()
    }

    /// The model with which the session begins.
    pub(super) fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    pub(super) fn window(&self) -> Option<u64> {
        if self.has_fixed_window || self.id == self.first {
            return self.first_window;
        }
        self.id.as_deref().and_then(listed).map(|(window, _)| window).or(self.declared_window)
    }

    /// From how many tokens on the provider keeps prefixes, and whether it counts what is written; none if the model is unknown.
    pub(super) fn caching(&self) -> Option<(u64, bool)> {
        match self.id.as_deref()? {
            "claude-sonnet-4-5" => Some((1024, true)),
            BINDING_MODEL => Some((512, true)),
            "gpt-5-mini" => Some((1024, false)),
            _ => None,
        }
    }

    pub(super) fn prices(&self) -> Option<[Decimal; 4]> {
        self.id.as_deref().and_then(listed).map(|(_, prices)| prices)
    }
}

impl Agent {
    /// The next call is one of this model.
    pub(super) fn choose_model(&mut self, id: Option<&str>) {
        if let Some(id) = id.filter(|_| self.model.follows) {
            self.model.id = Some(id.to_owned());
            (self.window, self.prices) = (self.model.window(), self.model.prices());
        }
    }
}
