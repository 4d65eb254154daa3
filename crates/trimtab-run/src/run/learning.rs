//! What a session learns: the calls of an iteration, the strategies that its reply cites, and what a reflector distils.

use std::sync::Arc;

use trimtab_base::conversation::{Message, Role, ToolResult};
use trimtab_base::playbook::{Delta, Playbook, Reflector, RuleReflector, Timestamp, ToolBatch, ToolUse};
use trimtab_language::plan::Plan;

use super::answer::Answer;

/// The playbook with which a session begins, and who distils strategies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learning {
    /// The playbook.
    pub playbook: Arc<Playbook>,
    /// Who distils strategies.
    pub reflection: Reflection,
}

/// Who distils strategies from the calls of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reflection {
    /// The embedded rules.
    #[default]
    Embedded,
    /// The host, which is asked after each iteration with calls.
    Host,
}

/// Learns at the end of each iteration, if the plan uses the playbook.
#[derive(Clone, Debug, Default)]
pub(super) struct Learner {
    is_active: bool,
    /// The newest message of a person.
    request: Option<Arc<Message>>,
    /// The reply of the current iteration.
    reply: Option<Arc<Message>>,
    /// The results of its calls.
    results: Vec<Arc<Message>>,
    /// The iteration from which the host has to distil strategies, and when it ended.
    asked: Option<Box<(ToolBatch, Timestamp)>>,
}

impl Learner {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { is_active: plan.uses_playbook(), ..Self::default() }
    }

    /// Records a message that is not a reply.
    pub(super) fn input(&mut self, message: &Arc<Message>) {
        if message.is_person() {
            self.request = Some(Arc::clone(message));
        }
        if self.reply.is_some() && message.role == Role::Tool {
            self.results.push(Arc::clone(message));
        }
    }

    /// Records a reply. It begins an iteration.
    pub(super) fn reply(&mut self, reply: &Arc<Message>) {
        self.reply = Some(Arc::clone(reply)).filter(|_| self.is_active);
        self.results.clear();
    }

    /// Learns from the iteration. Returns its calls if the host has to distil strategies from them; [`Learner::finish`]
    /// continues. `calls` counts the model calls of the session.
    pub(super) fn learn(
        &mut self,
        playbook: &mut Playbook,
        reflection: Reflection,
        calls: u64,
    ) -> Option<Box<ToolBatch>> {
        let (batch, at) = self.take_batch(playbook, calls)?;
        if reflection == Reflection::Host && !batch.calls.is_empty() {
            self.asked = Some(Box::new((batch.clone(), at)));
            return Some(Box::new(batch));
        }
        update(playbook, &batch, &RuleReflector::default().reflect(&batch), &at);
        None
    }

    /// Applies what the host has distilled, if it was asked. No answer means that it distilled nothing.
    pub(super) fn finish(&mut self, playbook: &mut Playbook, answer: Option<Answer>) {
        if let Some(asked) = self.asked.take() {
            let (batch, at) = *asked;
            update(playbook, &batch, &answer.and_then(Answer::into_strategies).unwrap_or_default(), &at);
        }
    }

    /// Returns what has happened in the iteration, and when, or `None` if there was no reply.
    fn take_batch(&mut self, playbook: &Playbook, calls: u64) -> Option<(ToolBatch, Timestamp)> {
        let (reply, results) = (self.reply.take()?, std::mem::take(&mut self.results));
        let newest = results.iter().rev().chain([&reply]).find_map(|message| message.at.clone());
        let text = reply.plain_text();
        let batch = ToolBatch {
            request: self.request.as_ref().map(|message| message.plain_text()).unwrap_or_default(),
            calls: uses(&reply, &results),
            cited: playbook.cited(&text),
            reply: text,
        };
        Some((batch, newest.map_or(Timestamp::Call(calls), |time| Timestamp::Time(time.into()))))
    }
}

/// The calls of a reply with their results. A result without an id belongs to the first call that has none yet.
fn uses(reply: &Message, results: &[Arc<Message>]) -> Vec<ToolUse> {
    let mut open: Vec<&ToolResult> = results.iter().flat_map(|message| message.results()).collect();
    let uses = reply.calls().map(|(id, tool, arguments)| {
        let place = open.iter().position(|result| result.id == *id || result.id.is_empty());
        let result = place.map(|at| open.remove(at));
        ToolUse {
            tool: tool.to_string(),
            arguments: arguments.text().into_owned(),
            result: result.map(|result| Arc::clone(&result.text)),
            is_error: result.is_some_and(|result| result.is_error),
        }
    });
    uses.collect()
}

/// Counts the outcomes of the strategies that a reply cites, applies what was distilled, and removes harmful
/// strategies.
fn update(playbook: &mut Playbook, batch: &ToolBatch, deltas: &[Delta], at: &Timestamp) {
    let outcome = batch.outcome();
    let tags: Vec<Delta> = batch.cited.iter().map(|id| Delta::tag(id, outcome)).collect();
    playbook.apply(&tags, at);
    playbook.apply(deltas, at);
    playbook.prune();
}
