//! The models of a session and how many calls each answers.

use smol_str::SmolStr;
use trimtab_run::run::Environment;

/// The calls of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCalls {
    /// The model, or `None` if it is unknown.
    pub model: Option<SmolStr>,
    /// Its window in tokens, or `None` if it is unknown.
    pub window: Option<u64>,
    /// The number of its calls.
    pub calls: usize,
}

/// Counts a call of the model of the environment.
pub(super) fn count(all: &mut Vec<ModelCalls>, environment: &Environment) {
    let Environment { model, window, .. } = environment;
    match all.iter_mut().find(|one| one.model == *model) {
        Some(one) => one.calls += 1,
        None => all.push(ModelCalls { model: model.clone(), window: *window, calls: 1 }),
    }
}
