//! What is known of the host and of the moment.

use crate::check::Agent;
use crate::phase::Phase;

/// What is known of the host and of the moment; conditions are decided under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// The context window in tokens. None when it is not known: then it is any from [`super::LEAST_WINDOW`] on, or
    /// unknown at run time too. 0 switches it off, so that it is unknown for certain.
    pub window: Option<u64>,
    /// Tokens kept free for the reply; none is 0, as at run time.
    pub reserve: Option<u64>,
    /// The phase. No fact's values are bound to a phase by the code that reads it, so no answer depends on it yet.
    pub phase: Phase,
}

impl World {
    /// The world that a policy's agent block describes. Its tools are not part of it: a recording or a live host that
    /// declares others is right.
    pub fn of(agent: &Agent, phase: Phase) -> Self {
        Self { window: agent.window.map(|window| window.node), reserve: agent.reserve, phase }
    }
}

impl Default for World {
    /// Nothing is known.
    fn default() -> Self {
        Self { window: None, reserve: None, phase: Phase::Request }
    }
}
