//! A session as data, to continue it in another process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::Message;
use trimtab_base::conversation::Recall;
use trimtab_base::hook::HostEvent;
use trimtab_base::playbook::{Delta, Playbook};
use trimtab_base::quantity::{Decimal, Value};
use trimtab_language::check::HostFact;
use trimtab_language::fact::{AgentIdentity, written_host_fact};
use trimtab_language::plan::Plan;
use trimtab_model::model::{Models, TokenCounter};
use trimtab_recordings::transcript::{self, Requested};

use super::Session;
use super::branch::fork::Progress;
use super::branch::{Branch, Record};
use super::summaries::KnownSummaries;
use crate::run::answer::Answer;
use crate::run::bound_reasoning::InvalidReasoning;
use crate::run::environment::Environment;
use crate::run::learning::{Learning, Reflection};
use crate::run::model_choice::ModelChoice;

/// The version of the saved format.
const VERSION: u32 = 3;

/// A session as data: the messages, and what happened in each branch. It contains the text of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedSession {
    schema_version: u32,
    /// The hash of the plan.
    plan: String,
    environment: SavedEnvironment,
    /// Messages in the recording format. Branches refer to them by index.
    messages: Vec<Json>,
    /// What happened in each branch; the one in use last.
    branches: Vec<SavedBranch>,
    /// The number of the next branch.
    next_branch: u64,
    /// The answered requests for summaries.
    summaries: KnownSummaries,
    /// The values of the facts that the host supplies, as a policy writes them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    facts: BTreeMap<SmolStr, String>,
}

/// What the session reads besides plan and conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedEnvironment {
    /// The name of the sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<SmolStr>,
    #[serde(default)]
    agent_depth: u64,
    model: Option<SmolStr>,
    window: Option<u64>,
    /// Whether every call has this window.
    #[serde(default)]
    has_fixed_window: bool,
    /// The window that the host declared.
    #[serde(default)]
    declared_window: Option<u64>,
    /// Whether calls have the models of their replies.
    #[serde(default)]
    follows_replies: bool,
    reserve: u64,
    tools: BTreeSet<SmolStr>,
    #[serde(default)]
    max_iterations: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tool_tokens: BTreeMap<SmolStr, u64>,
    /// The declared tokens sent besides the messages.
    overhead: u64,
    /// The factor of the built-in token counter in thousandths.
    factor: u64,
    /// The playbook with which the session began.
    #[serde(default)]
    playbook: Playbook,
    /// Whether the host distils strategies.
    #[serde(default)]
    host_reflects: bool,
    /// How the agent gets offloaded content back.
    #[serde(default)]
    recall: Recall,
}

impl SavedEnvironment {
    pub(super) fn of(environment: &Environment, overhead: u64) -> Self {
        Self {
            agent: environment.agent.name.clone(),
            agent_depth: environment.agent.depth,
            model: environment.model.clone(),
            window: environment.window,
            has_fixed_window: environment.choice.has_fixed_window,
            declared_window: environment.choice.declared_window,
            follows_replies: environment.choice.follows_replies,
            reserve: environment.reserve,
            tools: environment.tools.clone(),
            max_iterations: environment.max_iterations,
            tool_tokens: environment.tool_tokens.clone(),
            overhead,
            factor: environment.counter.estimate_factor().unwrap_or(1000),
            playbook: Playbook::clone(&environment.learning.playbook),
            host_reflects: environment.learning.reflection == Reflection::Host,
            recall: environment.recall,
        }
    }

    pub(super) const fn overhead(&self) -> u64 {
        self.overhead
    }

    pub(super) fn restored(&self, models: &Models) -> Environment {
        let reflection = if self.host_reflects { Reflection::Host } else { Reflection::Embedded };
        let factor = Decimal::from(self.factor) / Decimal::from(1000);
        let binds_reasoning = self.model.as_deref().is_some_and(|id| models.binds_reasoning(id));
        Environment {
            counter: Arc::new(TokenCounter::scaled(factor)),
            agent: AgentIdentity { name: self.agent.clone(), depth: self.agent_depth },
            model: self.model.clone(),
            window: self.window,
            reserve: self.reserve,
            tools: self.tools.clone(),
            max_iterations: self.max_iterations,
            assumes_usage: false,
            recall: self.recall,
            tool_tokens: self.tool_tokens.clone(),
            prices: self.model.as_deref().and_then(|id| models.find(id)).and_then(|model| model.prices),
            choice: ModelChoice {
                models: models.clone(),
                follows_replies: self.follows_replies,
                has_fixed_window: self.has_fixed_window,
                first_model: self.model.clone(),
                first_window: self.window,
                declared_window: self.declared_window,
                contexts: Vec::new(),
            },
            invalid_reasoning: binds_reasoning.then_some(InvalidReasoning::Leaves),
            learning: Learning { playbook: Arc::new(self.playbook.clone()), reflection },
        }
    }
}

/// A branch: its number, how much of its log has been recorded, in how many bytes, how many outcomes of phases have been
/// reported, and the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedBranch {
    number: u64,
    recorded: usize,
    recording_length: u64,
    reported: usize,
    log: Vec<SavedRecord<usize>>,
}

/// Something that happened, with what stands for its message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedRecord<M> {
    Message(M),
    Call,
    Compacted(usize),
    EndIteration,
    Host(HostEvent),
    /// A fact with its value as a policy writes it, or `None` if it has become unknown.
    Fact(SmolStr, Option<String>),
    Requested(Requested),
    Summary(String),
    Failed(String),
    Retry,
    Continue,
    Confirmed,
    Declined,
    Strategies(Vec<Delta>),
}

/// Why a session could not be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// It was saved in a format of this version.
    Version(u32),
    /// It was saved under a plan with this hash.
    Plan(String),
    /// A message cannot be read, or a record refers to a missing message.
    Message(usize),
    /// The value of this fact cannot be read.
    Fact(String),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => {
                write!(out, "the session was saved in version {version}, not in version {VERSION}")
            }
            Self::Plan(hash) => write!(out, "the session was saved under another plan, with the hash {hash}"),
            Self::Message(at) => write!(out, "message {at} of the saved session is missing or cannot be read"),
            Self::Fact(name) => write!(out, "the value of `{name}` in the saved session cannot be read"),
        }
    }
}

impl Error for RestoreError {}

impl Session {
    /// The session as data. It can be saved at any time, also while a question is open.
    pub fn save(&self) -> SavedSession {
        let (mut messages, mut places) = (Vec::new(), HashMap::new());
        let mut message = |message: &Arc<Message>| {
            *places.entry(Arc::as_ptr(message)).or_insert_with(|| {
                messages.push(transcript::message_json(message));
                messages.len() - 1
            })
        };
        let branches = self.branches.iter().map(|branch| SavedBranch {
            number: branch.number(),
            recorded: branch.recorded(),
            recording_length: branch.recording_length(),
            reported: branch.reported(),
            log: branch.log().map(|record| saved_record(record, &self.plan, &mut message)).collect(),
        });
        let branches = branches.collect();
        SavedSession {
            schema_version: VERSION,
            plan: self.plan.hash.clone(),
            environment: SavedEnvironment::of(&self.environment, self.overhead),
            messages,
            branches,
            next_branch: self.next_branch,
            summaries: self.summaries.clone(),
            facts: self.plan.agent.facts.iter().filter_map(|fact| self.saved_fact(fact)).collect(),
        }
    }

    fn saved_fact(&self, fact: &HostFact) -> Option<(SmolStr, String)> {
        let name = &fact.name.node;
        Some((name.clone(), fact.format(self.facts.get(name)?)))
    }

    /// Continues a saved session under the same plan, in the environment that it was saved in, with the built-in counter.
    ///
    /// # Errors
    /// The session was saved under another plan or in another version, or it is damaged.
    pub fn restore(plan: &Arc<Plan>, saved: &SavedSession) -> Result<Self, RestoreError> {
        if saved.schema_version != VERSION {
            return Err(RestoreError::Version(saved.schema_version));
        }
        if saved.plan != plan.hash {
            return Err(RestoreError::Plan(saved.plan.clone()));
        }
        let read =
            |(at, json): (usize, &Json)| transcript::read_message(json).map(Arc::new).ok_or(RestoreError::Message(at));
        let messages = saved.messages.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        let (environment, overhead) = (saved.environment.restored(&plan.agent.models), saved.environment.overhead);
        let mut session = Self::new(Arc::clone(plan), environment.clone(), overhead);
        if !saved.branches.is_empty() {
            session.branches.clear();
        }
        for SavedBranch { number, recorded, recording_length, reported, log } in &saved.branches {
            let new = Branch::new(Arc::clone(plan), environment.clone(), overhead, *number);
            let message = |at: &usize| messages.get(*at).cloned().ok_or(RestoreError::Message(*at));
            let log = log.iter().map(|record| restored(record, plan, message)).collect::<Result<Vec<_>, _>>()?;
            let (recorded, recording_length) = ((*recorded).min(log.len()), *recording_length);
            let progress = Progress { recorded, recording_length, outcomes: Some(*reported) };
            session.branches.push(new.replayed(log, progress));
        }
        session.next_branch = saved.next_branch;
        session.summaries = saved.summaries.clone();
        let value = |(name, text): (&SmolStr, &String)| Ok((name.clone(), restored_value(plan, name, text)?));
        session.facts = saved.facts.iter().map(value).collect::<Result<_, _>>()?;
        Ok(session)
    }
}

fn saved_value(plan: &Plan, name: &str, value: &Value) -> Option<String> {
    plan.agent.fact(name).map(|fact| fact.format(value))
}

fn restored_value(plan: &Plan, name: &str, text: &str) -> Result<Value, RestoreError> {
    let value = plan.agent.fact(name).and_then(|fact| fact.parse(text));
    value.ok_or_else(|| RestoreError::Fact(written_host_fact(name).into()))
}

/// A record as data. `message` says what stands for a message.
pub(super) fn saved_record<M>(
    record: &Record,
    plan: &Plan,
    message: impl FnOnce(&Arc<Message>) -> M,
) -> SavedRecord<M> {
    match record {
        Record::Message(arrived) => SavedRecord::Message(message(arrived)),
        Record::Call => SavedRecord::Call,
        Record::Compacted(kept) => SavedRecord::Compacted(*kept),
        Record::EndIteration => SavedRecord::EndIteration,
        Record::Host(event) => SavedRecord::Host(event.clone()),
        Record::Fact(name, value) => {
            SavedRecord::Fact(name.clone(), value.as_ref().and_then(|value| saved_value(plan, name, value)))
        }
        Record::Requested(requested) => SavedRecord::Requested(requested.clone()),
        Record::Answer(Answer::Summary(text)) => SavedRecord::Summary(text.clone()),
        Record::Answer(Answer::Failed(reason)) => SavedRecord::Failed(reason.clone()),
        Record::Answer(Answer::Retry) => SavedRecord::Retry,
        Record::Answer(Answer::Continue) => SavedRecord::Continue,
        Record::Answer(Answer::Confirmed) => SavedRecord::Confirmed,
        Record::Answer(Answer::Declined) => SavedRecord::Declined,
        Record::Answer(Answer::Strategies(deltas)) => SavedRecord::Strategies(deltas.clone()),
    }
}

/// The record in data. `message` gives the message for what stands for it.
pub(super) fn restored<M>(
    record: &SavedRecord<M>,
    plan: &Plan,
    message: impl FnOnce(&M) -> Result<Arc<Message>, RestoreError>,
) -> Result<Record, RestoreError> {
    Ok(match record {
        SavedRecord::Message(saved) => Record::Message(message(saved)?),
        SavedRecord::Call => Record::Call,
        SavedRecord::Compacted(kept) => Record::Compacted(*kept),
        SavedRecord::EndIteration => Record::EndIteration,
        SavedRecord::Host(event) => Record::Host(event.clone()),
        SavedRecord::Fact(name, value) => {
            let value = value.as_deref().map(|text| restored_value(plan, name, text)).transpose()?;
            Record::Fact(name.clone(), value)
        }
        SavedRecord::Requested(requested) => Record::Requested(requested.clone()),
        SavedRecord::Summary(text) => Record::Answer(Answer::Summary(text.clone())),
        SavedRecord::Failed(reason) => Record::Answer(Answer::Failed(reason.clone())),
        SavedRecord::Retry => Record::Answer(Answer::Retry),
        SavedRecord::Continue => Record::Answer(Answer::Continue),
        SavedRecord::Confirmed => Record::Answer(Answer::Confirmed),
        SavedRecord::Declined => Record::Answer(Answer::Declined),
        SavedRecord::Strategies(deltas) => Record::Answer(Answer::Strategies(deltas.clone())),
    })
}
