//! What a session reads besides its plan and its conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Counter, Message, Recall, Service};
use trimtab_language::fact::AgentIdentity;
use trimtab_model::model::{PriceList, Prices, TokenCounter};

use super::bound_reasoning::InvalidReasoning;
use super::learning::Learning;
use super::model_choice::ModelChoice;

/// What a session reads besides its plan and its conversation. Only the model of the next call changes while the session
/// lasts, with its window and its prices.
#[derive(Clone)]
pub struct Environment {
    /// The token counter.
    pub counter: Arc<dyn Counter>,
    /// The agent of the session.
    pub agent: AgentIdentity,
    /// The model of the next call, or `None` if it is unknown.
    pub model: Option<SmolStr>,
    /// Its context window in tokens, or `None` if it is unknown.
    pub window: Option<u64>,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// The declared tools.
    pub tools: BTreeSet<SmolStr>,
    /// The most iterations that the host makes in a run, or `None` if it has not declared them.
    pub max_iterations: Option<u64>,
    /// Whether sizes of replies without usage count as reported, as in a scripted conversation.
    pub assumes_usage: bool,
    /// The tokens of the schema of each tool, as far as they are known.
    pub tool_tokens: BTreeMap<SmolStr, u64>,
    /// Its prices, or `None` if they are unknown.
    pub prices: Option<PriceList>,
    /// How the window and the prices of another model are found.
    pub choice: ModelChoice,
    /// How the provider handles invalid reasoning, if the model binds reasoning to everything before it.
    pub invalid_reasoning: Option<InvalidReasoning>,
    /// How the agent gets offloaded content back.
    pub recall: Recall,
    /// The playbook with which the session begins, and who distils strategies.
    pub learning: Learning,
}

impl Environment {
    /// Makes this the model of the next call, unless a model was chosen for the session. Returns whether the model
    /// changed.
    pub(super) fn choose_model(&mut self, id: &SmolStr) -> bool {
        if !self.choice.follows_replies || self.model.as_ref() == Some(id) {
            return false;
        }
        (self.window, self.prices) = (self.choice.window(id), self.choice.prices(id));
        self.model = Some(id.clone());
        true
    }

    /// The prices of a call of the environment's model that got this reply.
    pub fn prices_of_reply(&self, reply: &Message) -> Option<Prices> {
        self.prices.as_ref()?.of_reply(reply)
    }

    /// The prices of a call by the host itself that was served like this at a time, with this model if it is known and none was
    /// chosen for the session.
    pub fn prices_of(&self, model: Option<&SmolStr>, at: Option<&str>, service: Service) -> Option<Prices> {
        let of = |list: &PriceList| list.of_call(at, service);
        match model.filter(|_| self.choice.follows_replies) {
            Some(model) => of(&self.choice.prices(model)?),
            None => of(self.prices.as_ref()?),
        }
    }
}

impl Default for Environment {
    /// Nothing is known, and tokens are estimated.
    fn default() -> Self {
        Self {
            counter: Arc::new(TokenCounter::default()),
            agent: AgentIdentity::default(),
            model: None,
            window: None,
            reserve: 0,
            tools: BTreeSet::new(),
            max_iterations: None,
            assumes_usage: false,
            tool_tokens: BTreeMap::new(),
            prices: None,
            choice: ModelChoice::default(),
            invalid_reasoning: None,
            recall: Recall::default(),
            learning: Learning::default(),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            counter: _,
            agent,
            model,
            window,
            reserve,
            tools,
            max_iterations,
            assumes_usage,
            tool_tokens,
            prices,
            choice,
            invalid_reasoning,
            recall,
            learning,
        } = self;
        let mut all = out.debug_struct("Environment");
        all.field("agent", agent)
            .field("model", model)
            .field("window", window)
            .field("reserve", reserve)
            .field("tools", tools)
            .field("max_iterations", max_iterations)
            .field("assumes_usage", assumes_usage)
            .field("tool_tokens", tool_tokens)
            .field("prices", prices)
            .field("choice", choice)
            .field("invalid_reasoning", invalid_reasoning)
            .field("recall", recall)
            .field("learning", learning);
        all.finish_non_exhaustive()
    }
}
