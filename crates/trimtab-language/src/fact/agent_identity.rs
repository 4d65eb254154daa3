//! Which agent a session is of.

use smol_str::SmolStr;

/// Which agent a session is of: the main agent, or one that another agent has started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentIdentity {
    /// The name of a sub-agent, or `None` for the main agent or if it is unknown.
    pub name: Option<SmolStr>,
    /// The number of agents above it; 0 for the main agent.
    pub depth: u64,
}
