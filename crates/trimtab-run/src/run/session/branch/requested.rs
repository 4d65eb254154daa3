//! What the requests of a branch name besides their messages, and how it changes from one to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Entry, HeadChange, Message, RECALL_TOOL, Recall};
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Requested;

use super::{Branch, Record};
use crate::run::environment::Environment;
use crate::run::session::same_message::prompt_len;

/// The tools that requests declare, with the tokens of their schemas as far as they are known.
type Tools = BTreeMap<SmolStr, Option<u64>>;

/// What the last request of a branch named besides its messages.
#[derive(Clone, Debug)]
pub(super) struct LastRequest {
    model: Option<SmolStr>,
    tools: Tools,
    /// The tools with which the branch began.
    pub(super) first_tools: BTreeSet<SmolStr>,
    pub(super) first_tool_tokens: BTreeMap<SmolStr, u64>,
    /// The system prompt, or `None` before the first request.
    prompt: Option<Vec<Arc<Message>>>,
    /// What has changed since the last reply, besides messages.
    changed: HeadChange,
}

impl LastRequest {
    pub(super) fn of(plan: &Plan, environment: &Environment) -> Self {
        let Environment { tools, tool_tokens, .. } = environment;
        let adds_tool = plan.offloads() && environment.recall == Recall::Tool;
        let is_declared = |name: &&SmolStr| *name != RECALL_TOOL || !adds_tool;
        let declared = tools.iter().filter(is_declared);
        Self {
            model: environment.model.clone(),
            tools: declared.map(|name| (name.clone(), tool_tokens.get(name).copied())).collect(),
            first_tools: tools.clone(),
            first_tool_tokens: tool_tokens.clone(),
            prompt: None,
            changed: HeadChange::default(),
        }
    }

    /// Records what a request names, and returns only what is new.
    fn update(&mut self, requested: &Requested) -> Requested {
        let model = requested.model.clone().filter(|model| self.model.as_ref() != Some(model));
        let tools = requested.tools.clone().filter(|tools| self.tools != *tools);
        self.model = model.clone().or(self.model.take());
        if let Some(tools) = &tools {
            self.tools.clone_from(tools);
        }
        Requested { model, tools }
    }

    /// Takes over the system prompt of the branch from which this one was forked.
    pub(super) fn continue_from(&mut self, other: &Self) {
        self.prompt.clone_from(&other.prompt);
    }

    /// Adds what has changed in its request to a reply.
    pub(super) fn mark(&mut self, reply: &mut Arc<Message>) {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_any() {
            Arc::make_mut(reply).harness_edits.get_or_insert_default().changed.join(changed);
        }
    }
}

impl Branch {
    /// Records what a request names besides the messages of the history.
    pub(in super::super) fn begin_request(&mut self, history: &[Arc<Message>], requested: &Requested) {
        let prompt = &history[..prompt_len(history.iter())];
        let new = self.last_request.update(requested);
        if let Some(old) = &self.last_request.prompt {
            let is_same = old.len() == prompt.len() && old.iter().zip(prompt).all(|(old, new)| old.parts == new.parts);
            self.last_request.changed.join(HeadChange { tools: new.tools.is_some(), prompt: !is_same });
        }
        self.last_request.prompt = Some(prompt.to_vec());
        if !new.is_empty() {
            self.waiting.push_back(Record::Requested(new));
        }
    }

    /// Records what a request in a log named.
    pub(super) fn restore_request(&mut self, requested: Requested) {
        self.last_request.update(&requested);
        self.waiting.push_back(Record::Requested(requested));
    }

    /// The number of calls, with those that the driver has not got yet.
    pub(in super::super) fn calls(&self) -> u64 {
        self.calls + self.waiting.iter().map(|record| u64::from(*record == Record::Call)).sum::<u64>()
    }

    /// Whether a call is the last one and has no reply.
    pub(in super::super) fn is_open(&self, call: u64) -> bool {
        self.calls() == call && self.will_be_open()
    }

    /// Whether a message of the history is in the conversation as it arrived.
    pub(in super::super) fn is_untouched(&self, at: usize) -> bool {
        let conversation = self.driver.conversation();
        let is_untouched = |entry: &Entry| std::ptr::eq(entry.message(), entry.recorded());
        match self.history_ids().nth(at) {
            Some(Some(id)) => conversation.index(id).is_some_and(|index| is_untouched(&conversation.entries()[index])),
            Some(None) => true,
            None => false,
        }
    }
}
