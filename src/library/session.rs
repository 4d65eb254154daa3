//! Live sessions: apply a plan to the requests of an agent.

use std::sync::Arc;

use trimtab_base::conversation::{Message, RecallError, Usage};
use trimtab_base::hook::{HookFailure, HostEvent};
use trimtab_base::playbook::{Delta, Playbook, ToolBatch};
use trimtab_language::effect::SummaryRequest;
use trimtab_language::fact::HostValues;
use trimtab_live::request::{Dialect, RecentRequests, ReplyEnd, Request, RequestError, RequestText, read_reply_after};
use trimtab_run::run::{self, Answer, Confirmation, FactError, FactValue, QuestionId, RestoreError, SavedSession};

use super::host::Host;
use super::policy::Plan;
use super::prepared::{FailedSummary, PreparedRequest, RuleFiring, firings, prepared};
use super::reply::{RequestHandle, StreamedReply};

/// A live session under a plan. It does no I/O: it says what it needs, and its host provides it.
///
/// Clients send the whole history with each request. The session recognises what it has seen, edits it again in the same
/// way, and follows a history that departs from an earlier one, such as that of a retry or of a sub-agent.
#[derive(Clone, Debug)]
pub struct Session {
    plan: Arc<trimtab_language::plan::Plan>,
    host: Host,
    /// None before the first request.
    inner: Option<run::Session>,
    facts: HostValues,
    requests: RecentRequests,
    hook_failures: Vec<HookFailure>,
}

/// What a session needs next.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Next {
    /// Nothing.
    Ready,
    /// The model call with this request.
    Send(PreparedRequest),
    /// A summary.
    Summarise(Question, SummaryRequest),
    /// The decision of a person whether a summary that failed for this reason is tried again.
    Ask(Question, String),
    /// Whether a person confirms that a rule acts, answered with [`Session::confirm`].
    Confirm {
        /// The question of the session.
        question: Question,
        /// The rule.
        rule: String,
        /// What the person is asked.
        text: String,
    },
    /// The strategies that the tool calls of an iteration teach, because the host has declared
    /// [its own reflector](Host::own_reflector).
    Reflect(Question, ToolBatch),
    /// Nothing, because a rule has stopped the run. The session resumes with the next run, which begins with a user
    /// message after an assistant message without tool calls: add one that says why the run was stopped to the history.
    Stop {
        /// The rule.
        rule: String,
        /// Its reason.
        reason: String,
    },
}

/// A question of a session, to be answered with [`Session::answer`], [`Session::decide`], [`Session::confirm`] or
/// [`Session::learn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question(pub(super) QuestionId);

impl Session {
    /// A session before its first request.
    pub fn new(plan: &Plan, host: Host) -> Self {
        Self {
            plan: Arc::clone(&plan.0),
            host,
            inner: None,
            facts: plan.0.agent.host_defaults(),
            requests: RecentRequests::default(),
            hook_failures: Vec::new(),
        }
    }

    /// Supplies the value of a fact that the policy declares, without `host.`: `session.set_fact("load", FactValue::Share(0.9))`.
    /// Rules see it from the next method call on. It stays until another value is supplied, also in a new run and in a
    /// history that departs from this one.
    ///
    /// # Errors
    /// The policy does not declare the fact, or it has another type.
    pub fn set_fact(&mut self, name: &str, value: impl Into<FactValue>) -> Result<(), FactError> {
        self.change_fact(name, Some(&value.into()))
    }

    /// Clears the value of a fact, which has its declared default again, or is unknown.
    ///
    /// # Errors
    /// The policy does not declare the fact.
    pub fn clear_fact(&mut self, name: &str) -> Result<(), FactError> {
        self.change_fact(name, None)
    }

    fn change_fact(&mut self, name: &str, value: Option<&FactValue>) -> Result<(), FactError> {
        run::set_fact(&self.plan, &mut self.facts, name, value)?;
        if let Some(session) = &mut self.inner {
            session.supply(&self.facts);
        }
        Ok(())
    }

    /// Accepts a request that the client is about to send, a whole body or the list of messages alone, and runs the rules
    /// before the call. `now` is the time in RFC 3339, for rules that read times.
    ///
    /// A request that is repeated gives the same result.
    ///
    /// # Errors
    /// The JSON is not a request in this dialect, or the time is invalid.
    pub fn before_request(
        &mut self,
        dialect: Dialect,
        json: impl Into<RequestText>,
        now: Option<&str>,
    ) -> Result<Next, RequestError> {
        check_time(now)?;
        let request = self.requests.read(dialect, json)?;
        let session = self.inner.get_or_insert_with(|| self.host.session(&self.plan, &request, &self.facts));
        let requested = self.host.requested(session, &request);
        let next = session.before_request_for(request.history(), &requested, now);
        self.requests.keep(session.branch(), Arc::new(request));
        Ok(self.describe(next))
    }

    /// Answers a question with a summary, or with the reason why there is none.
    pub fn answer(&mut self, question: Question, summary: Result<String, String>) -> Next {
        self.give(question, summary.map_or_else(Answer::Failed, Answer::Summary))
    }

    /// Decides whether a failed summary is tried again.
    pub fn decide(&mut self, question: Question, retry: bool) -> Next {
        self.give(question, if retry { Answer::Retry } else { Answer::Continue })
    }

    /// Answers the question of a rule for the person: whether it acts. If not, the rule changes nothing, and its guards count a
    /// firing.
    pub fn confirm(&mut self, question: Question, is_confirmed: bool) -> Next {
        self.give(question, if is_confirmed { Answer::Confirmed } else { Answer::Declined })
    }

    /// Changes the playbook by what was distilled from the tool calls of an iteration.
    pub fn learn(&mut self, question: Question, deltas: Vec<Delta>) -> Next {
        self.give(question, Answer::Strategies(deltas))
    }

    /// What the branch of the last request has learned.
    pub fn playbook(&self) -> &Playbook {
        self.inner.as_ref().map_or(self.host.initial_playbook(), run::Session::playbook)
    }

    /// Reports that the provider has rejected a request as too long. The rules on `overflow` run, unless they have been tried for
    /// this call, and `Send` gives the request again. If it has not changed, no rule could shorten it.
    pub fn rejected(&mut self, request: RequestHandle) -> Next {
        match &mut self.inner {
            Some(session) => {
                let next = session.rejected(request.call);
                self.describe(next)
            }
            None => Next::Ready,
        }
    }

    /// Adds the reply to the last request: a whole response body, or the message in it alone. Rules on replies run.
    /// A reply that is repeated counts once.
    ///
    /// # Errors
    /// The JSON is not a reply in the dialect of the request, there was no request, or the time is invalid.
    pub fn after_reply(&mut self, json: &str, now: Option<&str>) -> Result<Next, RequestError> {
        let (Some(session), Some(request)) = (&mut self.inner, self.requests.last()) else {
            return Err(RequestError::new("a request before its reply"));
        };
        check_time(now)?;
        let (reply, usage) = read_reply_after(request.dialect(), &request.unnamed_calls(), json)?;
        let next = session.after_reply(&reply, usage, now);
        Ok(self.describe(next))
    }

    /// Adds the reply to a request like [`after_reply`](Self::after_reply): for hosts whose requests overlap, and after a
    /// restart. Of two replies to one request, the first one counts, until the history of a request has the other one.
    ///
    /// # Errors
    /// The JSON is not a reply in the dialect of the request, there was no request, or the time is invalid.
    pub fn after_reply_to(
        &mut self,
        request: RequestHandle,
        json: &str,
        now: Option<&str>,
    ) -> Result<Next, RequestError> {
        let calls = self.requests.unnamed_calls(request.call.branch);
        let (reply, usage) = read_reply_after(request.dialect, &calls, json)?;
        self.answered(request, &reply, usage, now)
    }

    /// Adds a reply that was read from a stream. One that is not complete changes nothing: the next request says what the
    /// client has kept of it.
    ///
    /// # Errors
    /// There was no request, or the time is invalid.
    pub fn after_streamed_reply(
        &mut self,
        request: RequestHandle,
        reply: &StreamedReply,
        now: Option<&str>,
    ) -> Result<Next, RequestError> {
        match (&reply.0.message, &reply.0.end) {
            (Some(message), ReplyEnd::Complete) => self.answered(request, message, reply.0.usage, now),
            _ => Ok(Next::Ready),
        }
    }

    fn answered(
        &mut self,
        request: RequestHandle,
        reply: &Arc<Message>,
        usage: Option<Usage>,
        now: Option<&str>,
    ) -> Result<Next, RequestError> {
        let Some(session) = &mut self.inner else { return Err(RequestError::new("a request before its reply")) };
        check_time(now)?;
        let next = session.after_reply_to(request.call, reply, usage, now);
        Ok(self.describe(next))
    }

    /// Adds messages that are not replies, such as tool results, as a list in the dialect of the last request. A host that sends
    /// them with its next request need not add them before.
    ///
    /// # Errors
    /// The JSON is not a list in this dialect, there was no request, or the time is invalid.
    pub fn add(&mut self, json: &str, now: Option<&str>) -> Result<Next, RequestError> {
        let (Some(session), Some(request)) = (&mut self.inner, self.requests.last()) else {
            return Err(RequestError::new("a request before other messages"));
        };
        check_time(now)?;
        let added = Request::read(request.dialect(), None, json)?;
        let next = session.add(added.history(), now);
        Ok(self.describe(next))
    }

    /// The requests for summaries that follow the one of the last [`Next::Summarise`], if none of the answers ends the rule. A host
    /// can write them at the same time, and answer each when it is asked.
    pub fn upcoming_summaries(&self) -> Vec<SummaryRequest> {
        let requests = self.inner.as_ref().map(run::Session::upcoming_summaries).unwrap_or_default();
        requests.iter().map(|request| request.as_ref().clone()).collect()
    }

    /// Ends the iteration of the last call, so that its rules run now. Otherwise they run before the next message that is not
    /// a tool result, or before the next call.
    pub fn end_iteration(&mut self) -> Next {
        let Some(session) = &mut self.inner else { return Next::Ready };
        let next = session.end_iteration();
        self.describe(next)
    }

    /// The offloaded content with this id in the branch of the last request, as it arrived. A host answers a call of the
    /// tool `recall` with it; [`Plan::offloads`](super::Plan::offloads) says whether the agent has the tool.
    ///
    /// # Errors
    /// When no content with this id has been offloaded. The text of the error is meant for the agent.
    pub fn recall(&self, id: &str) -> Result<String, RecallError> {
        let session = self.inner.as_ref().ok_or_else(|| RecallError::new(id))?;
        session.recall(session.branch(), id).map(str::to_owned)
    }

    /// The factor by which the host should keep more of the results of a tool; 1 if no rule has boosted it in this run.
    pub fn boost(&self, tool: &str) -> u64 {
        self.inner.as_ref().map_or(1, |session| session.boost(tool))
    }

    /// What has happened since the last call of this method, in the form of recordings, to be appended to the recording of
    /// the branch with this number. A simulation of the recording under the same plan repeats what the session did.
    pub fn take_recording(&mut self) -> Option<(u64, String)> {
        self.inner.as_mut()?.take_recording()
    }

    /// What rules have done since the last request was prepared, and which summaries have failed: for a host that makes no
    /// further request, because its task is done or a rule has stopped the run.
    pub fn take_firings(&mut self) -> (Vec<RuleFiring>, Vec<FailedSummary>) {
        self.inner.as_mut().map(firings).unwrap_or_default()
    }

    /// The session as data, which serde can serialise, to continue it in another process; `None` before the first request. It
    /// contains the text of the conversation.
    pub fn save(&self) -> Option<SavedSession> {
        self.inner.as_ref().map(run::Session::save)
    }

    /// Continues a saved session.
    ///
    /// # Errors
    /// The session was saved under another plan or in another version, or it is damaged.
    pub fn restore(plan: &Plan, host: Host, saved: &SavedSession) -> Result<Self, RestoreError> {
        let session = run::Session::restore(&plan.0, saved)?;
        let session = host.configured(session);
        Ok(Self { facts: session.facts().clone(), inner: Some(session), ..Self::new(plan, host) })
    }

    /// The hooks that have failed since the last call of this method. A failure changes nothing else.
    pub fn take_hook_failures(&mut self) -> Vec<HookFailure> {
        std::mem::take(&mut self.hook_failures)
    }

    /// Reports what only the host knows; nothing happens before the first request.
    pub(super) fn report(&mut self, event: HostEvent) -> Next {
        let Some(session) = &mut self.inner else { return Next::Ready };
        let next = session.host_event(event);
        self.describe(next)
    }

    /// Calls the hooks with the events since the last call.
    fn call_hooks(&mut self) {
        let events = self.inner.as_mut().map(run::Session::take_events).unwrap_or_default();
        self.hook_failures.extend(events.iter().flat_map(|event| self.host.hook_chain().call(event)));
    }

    fn give(&mut self, question: Question, answer: Answer) -> Next {
        match &mut self.inner {
            Some(session) => {
                let next = session.answer(question.0, answer);
                self.describe(next)
            }
            None => Next::Ready,
        }
    }

    fn describe(&mut self, next: run::Next) -> Next {
        self.call_hooks();
        match next {
            run::Next::Ready => Next::Ready,
            run::Next::Summarise(question, request, _) => {
                Next::Summarise(Question(question), Arc::unwrap_or_clone(request))
            }
            run::Next::Ask(question, reason) => Next::Ask(Question(question), reason),
            run::Next::Confirm(question, Confirmation { rule, question: text }) => {
                Next::Confirm { question: Question(question), rule: rule.to_string(), text }
            }
            run::Next::Reflect(question, batch) => Next::Reflect(Question(question), *batch),
            run::Next::Stop(stop) => Next::Stop { rule: stop.rule.to_string(), reason: stop.text },
            run::Next::Send => self.prepare().map_or(Next::Ready, Next::Send),
        }
    }

    fn prepare(&mut self) -> Option<PreparedRequest> {
        let session = self.inner.as_mut()?;
        Some(prepared(self.requests.of_branch(session.branch())?, session))
    }
}

/// Fails if a time is not in RFC 3339, so that rules that read times do not silently ignore it.
pub(super) fn check_time(now: Option<&str>) -> Result<(), RequestError> {
    match now.filter(|now| now.parse::<jiff::Timestamp>().is_err()) {
        None => Ok(()),
        Some(now) => {
            Err(RequestError::new(format!("a time in RFC 3339, such as `2026-01-31T09:30:00Z`, found `{now}`")))
        }
    }
}
