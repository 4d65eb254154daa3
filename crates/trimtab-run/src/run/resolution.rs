//! Resolves model, window, prices and tools from the policy's `agent` block and from what a host or a recording declares.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use smol_str::SmolStr;
use trimtab_base::conversation::{Counter, RECALL_DESCRIPTION, RECALL_SCHEMA, RECALL_TOOL, Recall};
use trimtab_base::source::SourceId;
use trimtab_language::fact::AgentIdentity;
use trimtab_language::plan::Plan;
use trimtab_model::model::{Models, PriceList, TokenCounter};
use trimtab_recordings::transcript::Tool;

use super::bound_reasoning::InvalidReasoning;
use super::environment::Environment;
use super::learning::Learning;
use super::model_choice::{ModelChoice, of_model};
use super::window_source::WindowSource;

/// What is declared about an agent outside the policy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Declared<'a> {
    /// The window that the caller sets; overrides all other sources.
    pub given_window: Option<u64>,
    /// The model that the caller sets; overrides all other sources.
    pub given_model: Option<&'a str>,
    /// The tools that the caller sets; override all other sources.
    pub given_tools: Option<&'a [SmolStr]>,
    /// The window that the recorded live session used under the same plan.
    pub used_window: Option<u64>,
    /// The window that the recording or the live host declares.
    pub window: Option<u64>,
    /// The model that it declares, or else that of the first reply.
    pub model: Option<&'a str>,
    /// Whether calls of the recorded live session under the same plan had the models of their replies.
    pub follows_replies: Option<bool>,
    /// Whether all its calls had the same window.
    pub has_fixed_window: bool,
    /// The tools that it declares.
    pub tools: &'a [SmolStr],
    /// The agent of the session, or `None` for the main agent.
    pub agent: Option<&'a AgentIdentity>,
    /// How the agent gets offloaded content back.
    pub recall: Recall,
    /// The largest known context of each model in tokens; of an unknown model, it may be that of any.
    pub contexts: &'a [(Option<SmolStr>, u64)],
    /// The day whose prices apply to every call, or `None` if each call has the prices of its own time.
    pub prices_of: Option<Date>,
}

/// What rules read about the agent, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The model.
    pub model: Option<SmolStr>,
    /// The window in tokens and its source, or `None` if it is unknown.
    pub window: Option<(u64, WindowSource)>,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// How the window and the prices of another model are found.
    pub choice: ModelChoice,
    /// The declared tools.
    pub tools: BTreeSet<SmolStr>,
    /// The source of the tools, or `None` if nothing declares them.
    pub tools_source: Option<ToolsSource>,
    /// The agent of the session.
    pub agent: AgentIdentity,
    /// How the agent gets offloaded content back.
    pub recall: Recall,
}

/// The source of the list of the agent's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolsSource {
    /// The caller, such as `given tools` of a test.
    Caller,
    /// The recording or the live host.
    Recording,
    /// The policy's `agent` block, because nothing else declares tools.
    Policy,
    /// A profile in the project's settings, because nothing else declares tools.
    Profile,
}

impl ToolsSource {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Recording => "recording",
            Self::Policy => "policy",
            Self::Profile => "profile",
        }
    }
}

impl Resolution {
    /// Resolves what a plan's rules read about the agent.
    pub fn of(plan: &Plan, declared: &Declared<'_>) -> Self {
        let written = plan.agent.model.as_ref().map(|model| model.node.as_str());
        let model = declared.given_model.or(written).or(declared.model);
        let window = window(plan, declared, model);
        let models = plan.agent.models.clone().priced_on(declared.prices_of);
        let is_declared = match (model, declared.model) {
            (Some(model), Some(declared)) => models.is_same(model, declared),
            (model, declared) => model == declared,
        };
        let choice = ModelChoice {
            models,
            follows_replies: declared.follows_replies.unwrap_or(is_declared),
            has_fixed_window: declared.has_fixed_window || window.is_some_and(|(_, source)| source.is_chosen()),
            first_model: model.map(SmolStr::from),
            first_window: window.map(|(window, _)| window),
            declared_window: declared.window,
            contexts: declared.contexts.to_vec(),
        };
        let (mut tools, tools_source) = tools(plan, declared);
        if plan.offloads() && declared.recall == Recall::Tool {
            tools.insert(RECALL_TOOL.into());
        }
        Self {
            window,
            reserve: plan.agent.reserve.unwrap_or(0),
            model: model.map(SmolStr::from),
            choice,
            tools,
            tools_source,
            agent: declared.agent.cloned().unwrap_or_default(),
            recall: declared.recall,
        }
    }

    /// Where models are looked up.
    pub const fn models(&self) -> &Models {
        &self.choice.models
    }

    /// Returns the prices of the model, or `None` if they are unknown.
    pub fn prices(&self) -> Option<PriceList> {
        self.choice.prices(self.model.as_deref()?)
    }

    /// Whether the model binds reasoning to everything before it.
    pub fn binds_reasoning(&self) -> bool {
        self.model.as_deref().is_some_and(|id| self.models().binds_reasoning(id))
    }

    /// The environment of a live session of an agent with these tools, with the built-in counter, and the number of
    /// tokens sent besides the messages: `overhead`, or else the counted size of the tools, or else what the policy
    /// declares. The tool that the session adds is included.
    pub fn live_environment(&self, plan: &Plan, tools: &[Tool], overhead: Option<u64>) -> (Environment, u64) {
        let factor = self.model.as_deref().map(|id| self.models().factor(id));
        let counter = factor.map_or_else(TokenCounter::default, TokenCounter::scaled);
        let mut tool_tokens = tool_tokens(tools, counter);
        let counted = Some(tool_tokens.values().sum()).filter(|tokens| *tokens > 0);
        let declared = overhead.or(counted).or(plan.agent.overhead).unwrap_or(0);
        let added = self::tool_tokens(added_tool(plan, self.recall, tools).as_slice(), counter);
        let overhead = declared.saturating_add(added.values().sum());
        tool_tokens.extend(added);
        (Environment { tool_tokens, ..self.environment(Arc::new(counter)) }, overhead)
    }

    /// The environment of a session with this counter. A provider that binds reasoning drops what is invalid.
    pub fn environment(&self, counter: Arc<dyn Counter>) -> Environment {
        Environment {
            counter,
            agent: self.agent.clone(),
            model: self.model.clone(),
            window: self.window.map(|(window, _)| window),
            reserve: self.reserve,
            tools: self.tools.clone(),
            max_iterations: None,
            assumes_usage: false,
            tool_tokens: BTreeMap::new(),
            prices: self.prices(),
            choice: self.choice.clone(),
            invalid_reasoning: self.binds_reasoning().then_some(InvalidReasoning::Leaves),
            recall: self.recall,
            learning: Learning::default(),
        }
    }
}

/// The tokens of the schema of each tool, for tools with a schema or a description.
pub fn tool_tokens(tools: &[Tool], counter: TokenCounter) -> BTreeMap<SmolStr, u64> {
    let schemas = tools.iter().filter(|tool| tool.schema.is_some() || tool.description.is_some());
    let tokens = |tool: &Tool| {
        let (description, schema) = (tool.description.as_deref(), tool.schema.as_deref());
        counter.tool(&tool.name, description.unwrap_or_default(), schema.unwrap_or_default())
    };
    schemas.map(|tool| (tool.name.clone(), tokens(tool))).collect()
}

/// Returns the tool that a session adds to requests so that the agent can recall offloaded content, or `None` if the
/// plan offloads nothing, or if the agent declares a tool of this name itself.
pub fn added_tool(plan: &Plan, recall: Recall, declared: &[Tool]) -> Option<Tool> {
    let is_needed = plan.offloads() && recall == Recall::Tool && declared.iter().all(|tool| tool.name != RECALL_TOOL);
    is_needed.then(|| Tool {
        name: RECALL_TOOL.into(),
        description: Some(RECALL_DESCRIPTION.into()),
        schema: Some(RECALL_SCHEMA.into()),
    })
}

/// The tools of the agent and their source. Tools that a recording declares were available to its agent; tools that it
/// only calls do not count.
fn tools(plan: &Plan, declared: &Declared<'_>) -> (BTreeSet<SmolStr>, Option<ToolsSource>) {
    let set = |names: &[SmolStr]| names.iter().cloned().collect::<BTreeSet<_>>();
    if let Some(names) = declared.given_tools {
        return (set(names), Some(ToolsSource::Caller));
    }
    if !declared.tools.is_empty() {
        return (set(declared.tools), Some(ToolsSource::Recording));
    }
    let is_profile = plan.agent.place("tools").is_some_and(|span| span.source == SourceId::SETTINGS);
    let source = if is_profile { ToolsSource::Profile } else { ToolsSource::Policy };
    plan.agent.tools.as_deref().map(|names| (set(names), Some(source))).unwrap_or_default()
}

/// Returns the window in tokens: that of the caller, the policy, the recording or the model, or `None` if it is
/// unknown.
fn window(plan: &Plan, declared: &Declared<'_>, model: Option<&str>) -> Option<(u64, WindowSource)> {
    let given = declared.given_window.map(|window| (window, WindowSource::Flag));
    let policy = plan.agent.window.map(|window| match window.span.source {
        SourceId::SETTINGS => (window.node, WindowSource::Profile),
        _ => (window.node, WindowSource::Policy),
    });
    let recorded = |window: Option<u64>| window.map(|window| (window, WindowSource::Recording));
    given
        .or(recorded(declared.used_window))
        .or(policy)
        .or(recorded(declared.window))
        .or_else(|| of_model(&plan.agent.models, model?, declared.model, declared.contexts))
}
