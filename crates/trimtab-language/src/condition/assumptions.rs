//! What is known about the host and the moment.

use crate::check::Agent;
use crate::phase::Phase;

/// What is known about the host and the moment when conditions are decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumptions {
    /// The context window in tokens. If none, it is any window from [`super::LEAST_WINDOW`], or unknown at run time too.
    /// 0 switches it off, so that it is certainly unknown.
    pub window: Option<u64>,
    /// Tokens kept free for the reply. `None` means 0, as at run time.
    pub reserve: Option<u64>,
    /// The phase. No decision depends on it yet, since no fact has other values in another phase.
    pub phase: Phase,
}

impl Assumptions {
    /// The assumptions that a policy's `agent` block describes. Its tools are not part of it, since a recording or a live host
    /// may declare others.
    pub fn of(agent: &Agent, phase: Phase) -> Self {
        Self { window: agent.window.map(|window| window.node), reserve: agent.reserve, phase }
    }
}

impl Default for Assumptions {
    /// A assumptions of which nothing is known.
    fn default() -> Self {
        Self { window: None, reserve: None, phase: Phase::Request }
    }
}
