//! The events of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An event of a run. Its JSON form has the name of the event under `event`, beside its fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// An iteration begins.
    IterationStart(IterationStart),
    /// An iteration has ended.
    IterationEnd(IterationEnd),
    /// The host has reviewed an iteration.
    Reflection(Reflection),
    /// A request is about to be sent.
    ContextBudget(ContextBudget),
    /// A request is too long for the window, or was rejected as too long.
    Overflow(Overflow),
    /// A call is made again after its result was reduced.
    CompactionMiss(CompactionMiss),
    /// The host has validated a call.
    ToolValidation(ToolValidation),
    /// The host has tried a plan without side effects.
    DryRun(DryRun),
    /// The host executes a plan.
    PlanExecution(PlanExecution),
    /// A rule of the policy has emitted an event.
    Emit(Emitted),
}

impl Event {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::IterationStart(_) => "iteration_start",
            Self::IterationEnd(_) => "iteration_end",
            Self::Reflection(_) => "reflection",
            Self::ContextBudget(_) => "context_budget",
            Self::Overflow(_) => "overflow",
            Self::CompactionMiss(_) => "compaction_miss",
            Self::ToolValidation(_) => "tool_validation",
            Self::DryRun(_) => "dry_run",
            Self::PlanExecution(_) => "plan_execution",
            Self::Emit(_) => "emit",
        }
    }
}

/// An event that only a host can report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum HostEvent {
    /// The provider has rejected the request as too long.
    Overflow(Overflow),
    /// The host has reviewed an iteration.
    Reflection(Reflection),
    /// The host has validated a call.
    ToolValidation(ToolValidation),
    /// The host has tried a plan without side effects.
    DryRun(DryRun),
    /// The host executes a plan.
    PlanExecution(PlanExecution),
}

impl From<HostEvent> for Event {
    fn from(event: HostEvent) -> Self {
        match event {
            HostEvent::Overflow(event) => Self::Overflow(event),
            HostEvent::Reflection(event) => Self::Reflection(event),
            HostEvent::ToolValidation(event) => Self::ToolValidation(event),
            HostEvent::DryRun(event) => Self::DryRun(event),
            HostEvent::PlanExecution(event) => Self::PlanExecution(event),
        }
    }
}

/// An iteration begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationStart {
    /// The text of the run's first message of a person or caller; empty if there is none.
    pub goal: String,
    /// The iteration of the run, from 0.
    pub iteration: u64,
    /// The most iterations that the host makes in a run, if it has declared them.
    pub max_iterations: Option<u64>,
}

/// The status of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The reply calls tools, so another iteration follows.
    #[default]
    Running,
    /// The reply calls no tool: the task is completed.
    Success,
    /// A rule has stopped the run.
    Failure,
}

/// An iteration has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationEnd {
    /// The iteration of the run, from 0.
    pub iteration: u64,
    /// Its status.
    pub status: Status,
    /// How often this iteration has called each tool.
    pub tool_call_counts: BTreeMap<String, u64>,
    /// Whether the reply calls no tool.
    pub task_completed: bool,
    /// The text of the reply; empty if there was none.
    pub output: String,
}

/// The host has reviewed an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflection {
    /// The iteration that was reviewed, from 0.
    pub iteration: u64,
    /// The text of the review.
    pub monologue: String,
    /// Whether the review says that the run should proceed.
    pub should_proceed: bool,
}

/// The size of a request that is about to be sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextBudget {
    /// Tokens of the system prompt.
    pub persona_tokens: u64,
    /// Tokens of tool schemas, and of everything else that is sent besides the messages.
    pub tool_schema_tokens: u64,
    /// Tokens of the other messages.
    pub history_tokens: u64,
    /// The sum of the three.
    pub total_tokens: u64,
    /// The context window in tokens, or `None` if it is unknown.
    pub window: Option<u64>,
    /// The total as a fraction of the window, not in percent, or `None` if the window is unknown.
    pub utilisation: Option<f64>,
    /// Whether the total is above 85% of the window.
    pub over_budget: bool,
}

impl ContextBudget {
    /// The budget of a request whose parts have these tokens.
    pub fn new(persona: u64, tool_schema: u64, history: u64, window: Option<u64>) -> Self {
        let total = persona.saturating_add(tool_schema).saturating_add(history);
        let window = window.filter(|window| *window > 0);
        // Compared exactly: 85% itself is within the budget.
        let is_over = |window: u64| u128::from(total) * 100 > u128::from(window) * 85;
        #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^52 tokens")]
        let utilisation = |window: u64| total as f64 / window as f64;
        Self {
            persona_tokens: persona,
            tool_schema_tokens: tool_schema,
            history_tokens: history,
            total_tokens: total,
            window,
            utilisation: window.map(utilisation),
            over_budget: window.is_some_and(is_over),
        }
    }
}

/// A request is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overflow {
    /// The tokens of the request, as counted.
    pub tokens: u64,
    /// The context window in tokens, or `None` if it is unknown.
    pub window: Option<u64>,
    /// Whether the provider has rejected the request. If not, its size exceeds the window minus the reserve.
    pub rejected: bool,
}

/// A call is made again, identically, after a rule has reduced its result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionMiss {
    /// The tool.
    pub tool: String,
    /// The length of the result as it arrived, in characters.
    pub original_size: u64,
    /// Its length when the call was made again, in characters; 0 if it was removed.
    pub compressed_size: u64,
}

/// The host has validated a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolValidation {
    /// The tool.
    pub tool: String,
    /// Whether the call is allowed.
    pub allowed: bool,
    /// Why it is not allowed; empty if it is.
    #[serde(default)]
    pub reason: String,
}

/// The host has tried a plan without side effects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DryRun {
    /// The number of planned steps.
    pub planned_steps: u64,
    /// The tools that the plan uses.
    pub tools_used: Vec<String>,
    /// The estimated cost, in the words of the host.
    #[serde(default)]
    pub estimated_cost: String,
}

/// The host executes a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanExecution {
    /// How the steps are executed: `sequence`, `parallel`, `fallback`, or another word of the host.
    pub flow: String,
    /// The number of steps.
    pub step_count: u64,
    /// The names of the steps.
    pub step_names: Vec<String>,
}

/// A rule of the policy has emitted an event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Emitted {
    /// The rule.
    pub rule: String,
    /// The name that the rule gives to the event.
    pub name: String,
    /// Its fields.
    pub fields: BTreeMap<String, FieldValue>,
}

/// The value of a field of an event that a rule emits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// The fact is unknown.
    #[default]
    Unknown,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Number(f64),
    /// A text.
    Text(String),
}
