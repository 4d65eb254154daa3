//! A live session: a policy over a conversation that its client sends again, as a whole, before each model call.
//!
//! What a session does is a function of the messages that it has seen, in their order, and of the answers to its
//! questions. A list that continues what it has seen continues the session, and a list that departs from it begins a
//! branch with the state of the point where it departs. So a message that was edited once is edited in the same way in
//! every later request.

mod branch;
mod call;
mod compaction;
mod decisions;
mod follow;
mod same_message;
mod saved;
mod summaries;
mod unrecorded;

use std::sync::Arc;

use trimtab_base::conversation::{Message, MessageId, Recall, RecallError, SentMessage, Usage, Views};
use trimtab_base::hook::{self, HostEvent};
use trimtab_base::playbook::{Playbook, ToolBatch};
use trimtab_base::quantity::Decimal;
use trimtab_language::effect::SummaryRequest;
use trimtab_language::fact::HostValues;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;
use trimtab_model::model::TokenCounter;
use trimtab_recordings::transcript::Requested;

use self::branch::Branch;
pub use self::call::CallId;
pub use self::decisions::{Unlogged, message_digest};
pub use self::saved::{RestoreError, SavedSession};
use self::summaries::KnownSummaries;
pub use self::unrecorded::Unrecorded;
use super::answer::Answer;
use super::environment::Environment;
use super::outcome::{Confirmation, Outcome, Stop};

/// How many branches a session follows; the one that was used least recently is forgotten first.
pub const MAX_BRANCHES: usize = 16;

/// What a session needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    Ready,
    /// The model call, with [`Session::request`].
    Send,
    /// A summary; the number counts the summaries of the branch from 1. See [`Session::answer`].
    Summarise(QuestionId, Arc<SummaryRequest>, u64),
    /// The decision whether a summary that failed for this reason is tried again. See [`Session::answer`].
    Ask(QuestionId, String),
    /// Whether a person confirms that a rule acts. See [`Session::answer`].
    Confirm(QuestionId, Confirmation),
    /// What a reflector distils from the calls of an iteration. See [`Session::answer`].
    Reflect(QuestionId, Box<ToolBatch>),
    /// Nothing, because a rule has stopped the run. A message that begins a run resumes the session.
    Stop(Stop),
}

/// A question of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuestionId {
    branch: u64,
    number: u64,
}

/// A live session under a plan.
#[derive(Clone, Debug)]
pub struct Session {
    plan: Arc<Plan>,
    environment: Environment,
    overhead: u64,
    /// The branches, the one in use last.
    branches: Vec<Branch>,
    /// The number of the next branch.
    next_branch: u64,
    summaries: KnownSummaries,
    /// The values of the facts that the host supplies.
    facts: HostValues,
    /// Whether events are collected for hooks.
    is_observed: bool,
    /// Whether the log of decisions has its first line.
    is_logged: bool,
    /// Whether a message of a person begins a run after a request that a rule has stopped.
    resumes_after_stop: bool,
}

impl Session {
    /// A session before its first message. `overhead` are the tokens sent besides the messages, such as those of tool
    /// schemas; the usage of replies replaces this figure.
    pub fn new(plan: Arc<Plan>, environment: Environment, overhead: u64) -> Self {
        let branch = Branch::new(Arc::clone(&plan), environment.clone(), overhead, 0);
        Self {
            facts: plan.agent.host_defaults(),
            plan,
            environment,
            overhead,
            branches: vec![branch],
            next_branch: 1,
            summaries: KnownSummaries::default(),
            is_observed: false,
            is_logged: false,
            resumes_after_stop: false,
        }
    }

    /// Accepts the whole history before a model call, and runs the phases before the call. `now` is the time of messages
    /// without one, as RFC 3339.
    ///
    /// The same history twice gives the same request twice.
    pub fn before_request(&mut self, history: &[Arc<Message>], now: Option<&str>) -> Next {
        self.before_request_for(history, &Requested::default(), now)
    }

    /// Like [`before_request`](Self::before_request), with what the request names besides its messages. What it does
    /// not name is unchanged since the previous request.
    pub fn before_request_for(&mut self, history: &[Arc<Message>], requested: &Requested, now: Option<&str>) -> Next {
        let new = self.follow(history);
        // Nothing is known about earlier calls, so the first values apply to all of them. Later values apply from this call
        // on: a reply in the new part of the history arrived before them.
        if !self.current().driver().has_called() {
            self.current_with_facts();
        }
        let branch = self.current_mut();
        for message in &new {
            branch.push(dated(message, now));
        }
        let branch = self.current_with_facts();
        branch.begin_request(history, requested);
        branch.begin_call();
        self.advance(None)
    }

    /// Adds the reply to the last request, with the usage that the provider reports, and runs the phase after it. The same
    /// reply twice is one reply.
    pub fn after_reply(&mut self, reply: &Arc<Message>, usage: Option<Usage>, now: Option<&str>) -> Next {
        let mut reply = dated(reply, now);
        let usage = usage.filter(|usage| usage.is_plausible());
        if usage.is_some() && reply.usage != usage {
            Arc::make_mut(&mut reply).usage = usage;
        }
        let branch = self.current_with_facts();
        if !branch.is_answered_by(&reply) {
            branch.push(reply);
        }
        self.advance(None)
    }

    /// Adds tool results, or other messages that are not replies.
    pub fn add(&mut self, messages: &[Arc<Message>], now: Option<&str>) -> Next {
        let branch = self.current_with_facts();
        for message in messages {
            branch.push(dated(message, now));
        }
        self.advance(None)
    }

    /// Ends the iteration of the last call. Without this call it ends before the next message that is not a tool result,
    /// or before the next model call.
    pub fn end_iteration(&mut self) -> Next {
        self.current_with_facts().end_iteration();
        self.advance(None)
    }

    /// Collects events for hooks from now on. See [`Session::take_events`].
    pub fn observe(&mut self) {
        self.is_observed = true;
        self.branches.iter_mut().for_each(Branch::observe);
    }

    /// From now on, the first message of a person after a request that a rule has stopped begins a run. The recording says so
    /// with the message.
    pub const fn resume_after_stop(&mut self) {
        self.resumes_after_stop = true;
    }

    /// The events of the current branch since the last call of this method, in order.
    pub fn take_events(&mut self) -> Vec<hook::Event> {
        self.current_mut().take_events()
    }

    /// Reports what only the host knows, and runs the rules of its phase. A reflection ends the iteration before it.
    pub fn host_event(&mut self, event: HostEvent) -> Next {
        self.current_with_facts().host_event(event);
        self.advance(None)
    }

    /// Answers a question and continues its branch, which becomes current. An answer to a question that is not open, such as
    /// one that was answered before, changes nothing. A branch that the session has forgotten needs nothing.
    pub fn answer(&mut self, question: QuestionId, answer: Answer) -> Next {
        if !self.switch_to(question.branch) {
            return Next::Ready;
        }
        if self.current().question() != Some(question) {
            return self.advance(None);
        }
        if let (Answer::Summary(text), Some(request)) = (&answer, self.current().requested_summary()) {
            let request = request.clone();
            self.summaries.insert(&request, text);
        }
        self.advance(Some(answer))
    }

    /// The requests for summaries that the session will make after the one that waits for an answer, if none of the answers ends
    /// the rule. A host can write them at the same time, and answer each when it is asked.
    pub fn upcoming_summaries(&self) -> Vec<Arc<SummaryRequest>> {
        let all = self.current().driver().upcoming_summaries();
        all.into_iter().filter(|request| self.summaries.get(request).is_none()).collect()
    }

    /// The number of the current branch: the one of the last request or answer.
    pub fn branch(&self) -> u64 {
        self.current().number()
    }

    /// Makes a branch current, so that a reply is added to it. False if the session has forgotten it.
    pub fn switch_to(&mut self, branch: u64) -> bool {
        let place = self.branches.iter().position(|candidate| candidate.number() == branch);
        if let Some(place) = place {
            let branch = self.branches.remove(place);
            self.branches.push(branch);
        }
        place.is_some()
    }

    /// Continues the current branch until it needs something that is not known.
    fn advance(&mut self, mut answer: Option<Answer>) -> Next {
        let mut last: Option<Arc<SummaryRequest>> = None;
        loop {
            if answer.is_some() {
                last = self.current().requested_summary().cloned();
            }
            let next = self.current_mut().advance(answer.take());
            let Next::Summarise(_, request, _) = &next else { return next };
            // A request that is repeated after its answer was rejected needs another answer.
            if last.as_ref() == Some(request) {
                self.summaries.remove(request);
            }
            match self.summaries.get(request) {
                Some(text) => answer = Some(Answer::Summary(text.to_owned())),
                None => return next,
            }
        }
    }

    /// The conversation that the next request is made of.
    pub fn conversation(&self) -> &trimtab_base::conversation::Conversation {
        self.current().driver().conversation()
    }

    /// For each message of the history, its identity in the conversation, or `None` if it was ignored because a rule
    /// had stopped the run. A message that edits have removed keeps its identity, but the conversation has no entry
    /// with it.
    pub fn history_ids(&self) -> impl Iterator<Item = Option<MessageId>> {
        self.current().history_ids()
    }

    /// What the current branch has learned.
    pub fn playbook(&self) -> &Playbook {
        self.current().driver().playbook()
    }

    /// The messages of the next request.
    pub fn request(&self) -> Vec<SentMessage<'_>> {
        self.current().driver().request()
    }

    /// The names of declared tools that are not offered in the next request.
    pub fn hidden_tools(&self) -> Vec<String> {
        let driver = self.current().driver();
        let hidden = driver.environment().tools.iter().filter(|name| !driver.views().offers_tool(name));
        hidden.map(ToString::to_string).collect()
    }

    /// What is different in the next request.
    pub fn views(&self) -> &Views {
        self.current().driver().views()
    }

    /// The offloaded content with this id in a branch, as it arrived.
    ///
    /// # Errors
    /// When no content with this id has been offloaded in the branch, or when the session has forgotten the branch.
    pub fn recall(&self, branch: u64, id: &str) -> Result<&str, RecallError> {
        let branch = self.branches.iter().find(|candidate| candidate.number() == branch);
        branch.ok_or_else(|| RecallError::new(id))?.driver().conversation().recall(id)
    }

    /// The ids of the offloaded contents of a branch.
    pub fn offloaded(&self, branch: u64) -> Vec<String> {
        let branch = self.branches.iter().find(|candidate| candidate.number() == branch);
        branch.map(|branch| branch.driver().conversation().offloaded()).unwrap_or_default()
    }

    /// Whether the session declares the tool that returns offloaded content.
    pub fn declares_recall(&self) -> bool {
        self.plan().offloads() && self.current().driver().environment().recall == Recall::Tool
    }

    /// The factor by which the host should keep more of the results of a tool; 1 if no rule has boosted it in this run.
    pub fn boost(&self, tool: &str) -> u64 {
        self.current().driver().boost(tool)
    }

    /// The estimated size of the next request in tokens.
    pub fn tokens(&self) -> u64 {
        self.current().driver().request_tokens()
    }

    /// What the phases since the last call of this method did.
    pub fn take_outcomes(&mut self) -> Vec<(Phase, Outcome)> {
        self.current_mut().take_outcomes()
    }

    /// What has happened in the current branch since the last call, in the recording form, and the number of the branch. A
    /// branch has a recording of its own, which begins with the messages that it shares with others. A replay of the
    /// recording under the same plan repeats exactly what the session did.
    pub fn take_recording(&mut self) -> Option<(u64, String)> {
        let part = self.current().unrecorded()?;
        self.mark_recorded(&part);
        Some((part.branch, part.text))
    }

    /// What has happened in each branch since it was last recorded. It counts as recorded after
    /// [`mark_recorded`](Self::mark_recorded).
    pub fn unrecorded(&self) -> Vec<Unrecorded> {
        self.branches.iter().filter_map(Branch::unrecorded).collect()
    }

    /// Marks a part as recorded.
    pub fn mark_recorded(&mut self, part: &Unrecorded) {
        if let Some(branch) = self.branches.iter_mut().find(|branch| branch.number() == part.branch) {
            branch.mark_recorded(part);
        }
    }

    /// Sets the values of the facts that the host supplies. Every branch reads them from its next call on, or from the next
    /// event, reply or other message that the host reports.
    pub fn supply(&mut self, facts: &HostValues) {
        self.facts.clone_from(facts);
    }

    /// The values of the facts that the host supplies.
    pub const fn facts(&self) -> &HostValues {
        &self.facts
    }

    /// The current branch, with the facts that the host supplies.
    fn current_with_facts(&mut self) -> &mut Branch {
        let branch = self.branches.last_mut().expect("a session has a branch");
        branch.supply(&self.facts);
        branch
    }

    /// The built-in counter of the session, which counts what is not yet part of a conversation.
    pub fn estimate(&self) -> TokenCounter {
        let factor = self.environment.counter.estimate_factor().unwrap_or(1000);
        TokenCounter::scaled(Decimal::from(factor) / Decimal::from(1000))
    }

    /// The plan.
    pub const fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    fn current(&self) -> &Branch {
        self.branches.last().expect("a session has a branch")
    }

    fn current_mut(&mut self) -> &mut Branch {
        self.branches.last_mut().expect("a session has a branch")
    }
}

/// A message with the time `now` if it has none, and without usage that no provider can have counted.
fn dated(message: &Arc<Message>, now: Option<&str>) -> Arc<Message> {
    let mut message = Arc::clone(message);
    if let Some(now) = now.filter(|_| message.at.is_none()) {
        Arc::make_mut(&mut message).at = Some(now.into());
    }
    if message.usage.is_some_and(|usage| !usage.is_plausible()) {
        Arc::make_mut(&mut message).usage = None;
    }
    message
}
