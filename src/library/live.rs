//! Live sessions whose questions an engine answers.

mod open_error;
mod recovery;
mod rejection;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use trimtab_base::conversation::RecallError;
use trimtab_base::hook::HostEvent;
use trimtab_base::playbook::Playbook;
use trimtab_language::fact::HostValues;
use trimtab_live::engine::{self, Engine, Prepared, Warning};
use trimtab_live::request::{Dialect, RecentRequests, ReplyEnd, Request, RequestError, RequestText, read_reply_after};
use trimtab_run::run::{FactError, FactValue, RestoreError, SavedSession, Session, Stop, set_fact};

pub use self::open_error::OpenError;
use super::host::Host;
use super::host_event;
use super::policy::Plan;
use super::prepared::{PreparedRequest, prepared};
use super::reply::{RequestHandle, StreamedReply};
use super::session::check_time;

/// A live session whose questions an engine answers. Share it behind an [`Arc`]; requests may overlap.
///
/// While one request waits for a summary or for its reply, another one with a different history is followed in a branch of
/// its own. If a future is dropped, the same request asks the same question again.
pub struct LiveSession {
    plan: Arc<trimtab_language::plan::Plan>,
    host: Host,
    engine: Engine,
    id: Arc<str>,
    /// Empty before the first request.
    session: OnceLock<engine::LiveSession>,
    requests: Mutex<RecentRequests>,
    facts: Mutex<HostValues>,
}

/// The outcome of a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LiveNext {
    /// It is sent like this.
    Send(LiveRequest),
    /// It is not sent, because a rule has stopped the run. A message that begins a run resumes the session.
    Stop {
        /// The rule.
        rule: String,
        /// Its reason.
        reason: String,
        /// Failures that do not stop the agent, such as those of the store.
        warnings: Vec<Warning>,
    },
}

/// A request to send. Its reply is given back with [`LiveSession::after_reply`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiveRequest {
    /// What to send.
    pub prepared: PreparedRequest,
    /// Failures that do not stop the agent, such as those of the store.
    pub warnings: Vec<Warning>,
    session: Arc<str>,
}

/// The state of a session after a reply, tool results or the end of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "a rule may have stopped the run"]
pub struct LiveUpdate {
    /// Why a rule has stopped the run, if one has. A message that begins a run resumes the session.
    pub stop: Option<StopReason>,
    /// Failures that do not stop the agent, such as those of the store.
    pub warnings: Vec<Warning>,
}

/// Why a rule has stopped a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopReason {
    /// The rule.
    pub rule: String,
    /// Its reason.
    pub reason: String,
}

impl LiveUpdate {
    fn of((stop, warnings): (Option<Stop>, Vec<Warning>)) -> Self {
        let stop = stop.map(|stop| StopReason { rule: stop.rule.to_string(), reason: stop.text });
        Self { stop, warnings }
    }
}

impl LiveSession {
    /// A session before its first request, which is recorded and stored under this id.
    pub fn new(plan: &Plan, host: Host, engine: Engine, id: impl Into<String>) -> Self {
        let (session, requests) = (OnceLock::new(), Mutex::default());
        let facts = Mutex::new(plan.0.agent.host_defaults());
        let host = if engine.has_reflector() { host.own_reflector() } else { host };
        Self { plan: Arc::clone(&plan.0), host, engine, id: id.into().into(), session, requests, facts }
    }

    /// The session that the engine's store has under this id, or a session before its first request if it has none.
    ///
    /// # Errors
    /// The store fails, or its session cannot be continued under this plan.
    pub async fn open(plan: &Plan, host: Host, engine: Engine, id: impl Into<String>) -> Result<Self, OpenError> {
        let id = id.into();
        match engine.load(&id).await.map_err(OpenError::Store)? {
            Some(saved) => Self::restore(plan, host, engine, id, &saved).map_err(OpenError::Restore),
            None => Ok(Self::new(plan, host, engine, id)),
        }
    }

    /// Continues a saved session, in the environment that it was saved in.
    ///
    /// # Errors
    /// The session was saved under another plan or in another version, or it is damaged.
    pub fn restore(
        plan: &Plan,
        host: Host,
        engine: Engine,
        id: impl Into<String>,
        saved: &SavedSession,
    ) -> Result<Self, RestoreError> {
        let session = Session::restore(&plan.0, saved)?;
        let new = Self { facts: Mutex::new(session.facts().clone()), ..Self::new(plan, host, engine, id) };
        let session = OnceLock::from(new.live(new.host.configured(session)));
        Ok(Self { session, ..new })
    }

    /// What the branch of the last request has learned.
    pub fn playbook(&self) -> Playbook {
        let learned = |session: &engine::LiveSession| session.with(|session| session.playbook().clone());
        self.session.get().map_or_else(|| self.host.initial_playbook().clone(), learned)
    }

    /// Supplies the value of a fact that the policy declares, without `host.`: `session.set_fact("load", FactValue::Share(0.9))`.
    /// Rules read it from the next method call on, including rules for other requests. It stays until another value is
    /// supplied.
    ///
    /// # Errors
    /// The policy does not declare the fact, or it has another type.
    pub fn set_fact(&self, name: &str, value: impl Into<FactValue>) -> Result<(), FactError> {
        set_fact(&self.plan, &mut self.facts(), name, Some(&value.into()))
    }

    /// Clears the value of a fact, which has its declared default again, or is unknown.
    ///
    /// # Errors
    /// The policy does not declare the fact.
    pub fn clear_fact(&self, name: &str) -> Result<(), FactError> {
        set_fact(&self.plan, &mut self.facts(), name, None)
    }

    /// Accepts a request that the client is about to send, a whole body or the list of messages alone, and runs the rules
    /// before the call. `now` is the time in RFC 3339, for rules that read times.
    ///
    /// # Errors
    /// The JSON is not a request in this dialect, or the time is invalid. Failures of the summariser are not errors: the
    /// policy says what happens.
    pub async fn before_request(
        &self,
        dialect: Dialect,
        json: impl Into<RequestText>,
        now: Option<&str>,
    ) -> Result<LiveNext, RequestError> {
        check_time(now)?;
        let request = self.requests().read(dialect, json)?;
        Ok(self.before_parsed_request(Arc::new(request), now).await)
    }

    /// Like [`before_request`](Self::before_request), for a request that was read.
    pub(crate) async fn before_parsed_request(&self, request: Arc<Request>, now: Option<&str>) -> LiveNext {
        let session = self.session.get_or_init(|| self.live(self.host.session(&self.plan, &request, &self.facts())));
        self.supply(session);
        let render =
            |session: &mut Session| prepared(self.requests().keep(session.branch(), Arc::clone(&request)), session);
        let requested = session.with(|session| self.host.requested(session, &request));
        let (prepared, warnings) = session.before_request(request.history(), &requested, now, render).await;
        match prepared {
            Prepared::Send { call: _, request: prepared } => {
                LiveNext::Send(LiveRequest { prepared, warnings, session: Arc::clone(&self.id) })
            }
            Prepared::Stop(Stop { rule, text }) => LiveNext::Stop { rule: rule.to_string(), reason: text, warnings },
        }
    }

    /// Adds the reply to a request: a whole response body, or the message in it alone. Rules on replies run. The same reply
    /// twice is one reply, so a call whose future was dropped can be made again.
    ///
    /// # Errors
    /// The JSON is not a reply in the dialect of the request, the request is not of this session, or the time is invalid.
    pub async fn after_reply(
        &self,
        request: &LiveRequest,
        json: &str,
        now: Option<&str>,
    ) -> Result<LiveUpdate, RequestError> {
        self.session_of(request)?;
        self.after_reply_to(request.prepared.handle, json, now).await
    }

    /// Adds the reply to a request of which only the handle is known, as after a restart.
    ///
    /// # Errors
    /// The JSON is not a reply in the dialect of the request, there was no request, or the time is invalid.
    pub async fn after_reply_to(
        &self,
        request: RequestHandle,
        json: &str,
        now: Option<&str>,
    ) -> Result<LiveUpdate, RequestError> {
        check_time(now)?;
        let calls = self.requests().unnamed_calls(request.call.branch);
        let (reply, usage) = read_reply_after(request.dialect, &calls, json)?;
        Ok(LiveUpdate::of(self.begun()?.after_reply(request.call, &reply, usage, now).await))
    }

    /// Adds a reply that was read from a stream. One that is not complete changes nothing: the next request says what the
    /// client has kept of it.
    ///
    /// # Errors
    /// There was no request, or the time is invalid.
    pub async fn after_streamed_reply(
        &self,
        request: RequestHandle,
        reply: &StreamedReply,
        now: Option<&str>,
    ) -> Result<LiveUpdate, RequestError> {
        check_time(now)?;
        let session = self.begun()?;
        match (&reply.0.message, &reply.0.end) {
            (Some(message), ReplyEnd::Complete) => {
                Ok(LiveUpdate::of(session.after_reply(request.call, message, reply.0.usage, now).await))
            }
            _ => Ok(LiveUpdate::default()),
        }
    }

    /// Adds messages that are not replies, such as tool results, as a list in the dialect of the request that they follow. A
    /// host that sends them with its next request need not add them before.
    ///
    /// # Errors
    /// The JSON is not a list in the dialect of the request, the request is not of this session, or the time is invalid.
    pub async fn add(&self, request: &LiveRequest, json: &str, now: Option<&str>) -> Result<LiveUpdate, RequestError> {
        let session = self.session_of(request)?;
        check_time(now)?;
        let added = Request::read(request.prepared.handle.dialect, None, json)?;
        Ok(LiveUpdate::of(session.add(request.prepared.handle.call.branch, added.history(), now).await))
    }

    /// Ends the iteration of a request, so that its rules run now. Otherwise they run before the next message that is not a
    /// tool result, or before the next call.
    ///
    /// # Errors
    /// The request is not of this session.
    pub async fn end_iteration(&self, request: &LiveRequest) -> Result<LiveUpdate, RequestError> {
        Ok(LiveUpdate::of(self.session_of(request)?.end_iteration(request.prepared.handle.call.branch).await))
    }

    /// The offloaded content with this id in the branch of a request, as it arrived. A host answers a call of the tool
    /// `recall` with it.
    ///
    /// # Errors
    /// When no content with this id has been offloaded, or the request is not of this session. The text of the error is
    /// meant for the agent.
    pub fn recall(&self, request: &LiveRequest, id: &str) -> Result<String, RecallError> {
        let session = self.session_of(request).map_err(|_| RecallError::new(id))?;
        session.with(|session| session.recall(request.prepared.handle.call.branch, id).map(str::to_owned))
    }

    /// The ids of the contents that were offloaded in the branch of a request, for [`recall`](Self::recall). A host whose agent
    /// [recalls by a command](Host::recall_by_command) keeps them before it sends the request.
    pub fn offloaded(&self, request: &LiveRequest) -> Vec<String> {
        let Ok(session) = self.session_of(request) else { return Vec::new() };
        session.with(|session| session.offloaded(request.prepared.handle.call.branch))
    }

    /// The factor by which the host should keep more of the results of a tool, in the branch of the last request or answer;
    /// 1 if no rule has boosted it in this run.
    pub fn boost(&self, tool: &str) -> u64 {
        self.session.get().map_or(1, |session| session.with(|session| session.boost(tool)))
    }

    /// Records and saves what could not be recorded or saved before. Each call of the other methods does this too.
    pub async fn flush(&self) -> Vec<Warning> {
        match self.session.get() {
            Some(session) => {
                self.supply(session);
                session.persist().await
            }
            None => Vec::new(),
        }
    }

    /// Reports the review of the iteration of a request, which ends with it, and runs the rules on `reflection`.
    ///
    /// # Errors
    /// The request is not of this session.
    pub async fn reflection(
        &self,
        request: &LiveRequest,
        monologue: &str,
        should_proceed: bool,
    ) -> Result<LiveUpdate, RequestError> {
        self.report(request, host_event::reflection(monologue, should_proceed)).await
    }

    /// Reports whether a call is allowed, and runs the rules on `tool_validation`. `reason` is empty if it is.
    ///
    /// # Errors
    /// The request is not of this session.
    pub async fn tool_validation(
        &self,
        request: &LiveRequest,
        tool: &str,
        allowed: bool,
        reason: &str,
    ) -> Result<LiveUpdate, RequestError> {
        self.report(request, host_event::tool_validation(tool, allowed, reason)).await
    }

    /// Reports that a plan was tried without side effects, and runs the rules on `dry_run`.
    ///
    /// # Errors
    /// The request is not of this session.
    pub async fn dry_run<S: AsRef<str>>(
        &self,
        request: &LiveRequest,
        steps: u64,
        tools: impl IntoIterator<Item = S>,
        cost: &str,
    ) -> Result<LiveUpdate, RequestError> {
        let event = host_event::dry_run(steps, tools, cost);
        self.report(request, event).await
    }

    /// Reports that a plan is executed, and runs the rules on `plan_execution`. `flow` is how its steps are executed, such
    /// as `sequence`, `parallel` or `fallback`.
    ///
    /// # Errors
    /// The request is not of this session.
    pub async fn plan_execution<S: AsRef<str>>(
        &self,
        request: &LiveRequest,
        flow: &str,
        steps: impl IntoIterator<Item = S>,
    ) -> Result<LiveUpdate, RequestError> {
        let event = host_event::plan_execution(flow, steps);
        self.report(request, event).await
    }

    async fn report(&self, request: &LiveRequest, event: HostEvent) -> Result<LiveUpdate, RequestError> {
        Ok(LiveUpdate::of(self.session_of(request)?.host_event(request.prepared.handle.call.branch, event).await))
    }

    /// A session that the engine answers and the hooks of the host observe.
    fn live(&self, session: Session) -> engine::LiveSession {
        engine::LiveSession::new(&self.id, self.engine.clone(), session).with_hooks(self.host.hook_chain().clone())
    }

    /// The session that has prepared a request.
    fn session_of(&self, request: &LiveRequest) -> Result<&engine::LiveSession, RequestError> {
        if request.session != self.id {
            return Err(RequestError::new("a request of this session"));
        }
        self.begun()
    }

    /// The session, which knows the facts of the host.
    fn begun(&self) -> Result<&engine::LiveSession, RequestError> {
        let session = self.session.get().ok_or_else(|| RequestError::new("a request before its reply"))?;
        self.supply(session);
        Ok(session)
    }

    /// Tells the session the facts of the host.
    fn supply(&self, session: &engine::LiveSession) {
        let facts = self.facts().clone();
        session.with(|session| session.supply(&facts));
    }

    fn facts(&self) -> MutexGuard<'_, HostValues> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> MutexGuard<'_, RecentRequests> {
        // They only save work.
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
