//! The model of a call, which may change within a session, with its window and its prices.

use smol_str::SmolStr;
use trimtab_model::model::{self, Model, Models, PriceList};

use super::window_source::WindowSource;

/// How the window and the prices of the model of a call are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// Where models are looked up.
    pub models: Models,
    /// Whether a call has the model of its reply. A model that was chosen for a session stays.
    pub follows_replies: bool,
    /// Whether every call has the window of the first one, because the caller or the policy sets it.
    pub has_fixed_window: bool,
    /// The model with which the session begins.
    pub first_model: Option<SmolStr>,
    /// The window with which it begins, or `None` if it is unknown.
    pub first_window: Option<u64>,
    /// The window that the recording or the live host declares.
    pub declared_window: Option<u64>,
    /// The largest known context of each model in tokens.
    pub contexts: Vec<(Option<SmolStr>, u64)>,
}

impl ModelChoice {
    /// Returns the window of a model in tokens, or `None` if it is unknown. A declared window is that of the model with
    /// which the session begins, and of models that are not in the table.
    pub fn window(&self, id: &str) -> Option<u64> {
        let is_first = self.first_model.as_deref().is_none_or(|first| self.models.is_same(first, id));
        if self.has_fixed_window || is_first && self.first_window.is_some() {
            return self.first_window;
        }
        let window = of_model(&self.models, id, self.first_model.as_deref(), &self.contexts);
        window.map(|(window, _)| window).or(self.declared_window)
    }

    /// Returns the prices of a model, or `None` if they are unknown.
    pub fn prices(&self, id: &str) -> Option<PriceList> {
        self.models.find(id)?.prices
    }
}

/// The standard window of a model, or its long window if the id, a recorded id of the same model or a recorded context shows
/// that it is enabled.
pub(super) fn of_model(
    models: &Models,
    id: &str,
    recorded: Option<&str>,
    contexts: &[(Option<SmolStr>, u64)],
) -> Option<(u64, WindowSource)> {
    let Model { window, long_window, .. } = models.find(id)?;
    let is_marked = model::has_long_suffix(id)
        || recorded.is_some_and(|recorded| model::has_long_suffix(recorded) && models.is_same(id, recorded));
    let of_it = |model: &Option<SmolStr>| model.as_deref().is_none_or(|model| models.is_same(id, model));
    let largest = contexts.iter().filter(|(model, _)| of_it(model)).map(|(_, tokens)| *tokens).max().unwrap_or(0);
    match long_window {
        _ if model::has_long_suffix(id) => Some((window, WindowSource::LongModelId)),
        Some(long) if is_marked => Some((long, WindowSource::LongModelId)),
        Some(long) if largest > window => Some((long, WindowSource::LongContext)),
        _ => Some((window, WindowSource::Model)),
    }
}
