//! What a session reads besides its plan and its conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use super::learning::Learning;
use crate::conversation::Counter;
use crate::model::{Estimate, Prices};

/// What a session reads besides its plan and its conversation. It does not change while the session lasts.
#[derive(Clone)]
pub struct Environment {
    /// The token counter.
    pub counter: Arc<dyn Counter>,
    /// The model; none when it is unknown.
    pub model: Option<SmolStr>,
    /// The context window in tokens; none when it is unknown.
    pub window: Option<u64>,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// The declared tools.
    pub tools: BTreeSet<SmolStr>,
    /// The most iterations that the host makes in a run; none if it has not declared them.
    pub max_iterations: Option<u64>,
    /// The tokens of the schema of each tool, as far as they are known.
    pub tool_tokens: BTreeMap<SmolStr, u64>,
    /// The prices of the model; none when they are unknown.
    pub prices: Option<Prices>,
    /// The playbook with which the session begins, and who distils strategies.
    pub learning: Learning,
}

impl Default for Environment {
    /// Nothing is known, and tokens are estimated.
    fn default() -> Self {
        Self {
            counter: Arc::new(Estimate::default()),
            model: None,
            window: None,
            reserve: 0,
            tools: BTreeSet::new(),
            max_iterations: None,
            tool_tokens: BTreeMap::new(),
            prices: None,
            learning: Learning::default(),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { counter: _, model, window, reserve, tools, max_iterations, tool_tokens, prices, learning } = self;
        let mut all = out.debug_struct("Environment");
        all.field("model", model)
            .field("window", window)
            .field("reserve", reserve)
            .field("tools", tools)
            .field("max_iterations", max_iterations)
            .field("tool_tokens", tool_tokens)
            .field("prices", prices)
            .field("learning", learning);
        all.finish_non_exhaustive()
    }
}
