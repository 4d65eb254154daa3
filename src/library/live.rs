//! Live sessions whose questions an engine answers.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::policy::Plan;
use super::session::{Host, PreparedRequest, prepared};
use crate::engine::{self, Engine, Prepared, Warning};
use crate::request::{Dialect, RecentRequests, RequestError, read_reply};
use crate::run::Stop;

/// A live session whose questions an engine answers. Share it behind an [`Arc`]; requests may overlap.
///
/// While one request waits for a summary or for its reply, another one with a different history is followed in a branch of
/// its own. If a future is dropped, the same request asks the same question again.
pub struct LiveSession {
    plan: Arc<crate::plan::Plan>,
    host: Host,
    engine: Engine,
    id: String,
    /// Empty before the first request.
    session: OnceLock<engine::LiveSession>,
    requests: Mutex<RecentRequests>,
}

/// What becomes of a request.
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
    },
}

/// A request to send. Its reply is given back with [`LiveSession::after_reply`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiveRequest {
    /// What to send.
    pub prepared: PreparedRequest,
    /// Failures that do not keep the agent from going on, such as those of the store.
    pub warnings: Vec<Warning>,
    branch: u64,
    dialect: Dialect,
}

impl LiveSession {
    /// A session before its first request, which is recorded and stored under this id.
    pub fn new(plan: &Plan, host: Host, engine: Engine, id: impl Into<String>) -> Self {
        let (session, requests) = (OnceLock::new(), Mutex::default());
        Self { plan: Arc::clone(&plan.0), host, engine, id: id.into(), session, requests }
    }

    /// Takes in a request that the client is about to send, a whole body or the list of messages alone, and runs the rules
    /// before the call. `now` is the time in RFC 3339, for rules that read times.
    ///
    /// # Errors
    /// The JSON is not a request in this dialect. Failures of the summariser are not errors: the policy says what happens.
    pub async fn before_request(
        &self,
        dialect: Dialect,
        json: &str,
        now: Option<&str>,
    ) -> Result<LiveNext, RequestError> {
        let request = Arc::new(self.requests().read(dialect, json)?);
        let session = self.session.get_or_init(|| {
            engine::LiveSession::new(&self.id, self.engine.clone(), self.host.session(&self.plan, &request))
        });
        let render = |session: &mut crate::run::Session| {
            prepared(self.requests().keep(session.branch(), Arc::clone(&request)), session)
        };
        let (prepared, warnings) = session.before_request(request.history(), now, render).await;
        Ok(match prepared {
            Prepared::Send { branch, request: prepared } => {
                LiveNext::Send(LiveRequest { prepared, warnings, branch, dialect })
            }
            Prepared::Stop(Stop { rule, text }) => LiveNext::Stop { rule: rule.to_string(), reason: text },
        })
    }

    /// Adds the reply to a request: a whole response body, or the message in it alone. Rules on replies run. Returns the rule
    /// and its reason if a rule stops the run.
    ///
    /// # Errors
    /// The JSON is not a reply in the dialect of the request.
    pub async fn after_reply(
        &self,
        request: &LiveRequest,
        json: &str,
        now: Option<&str>,
    ) -> Result<Option<(String, String)>, RequestError> {
        let (reply, usage) = read_reply(request.dialect, json)?;
        let Some(session) = self.session.get() else {
            return Err(RequestError::new("a request before its reply"));
        };
        let (stop, _) = session.after_reply(request.branch, &reply, usage, now).await;
        Ok(stop.map(|stop| (stop.rule.to_string(), stop.text)))
    }

    fn requests(&self) -> MutexGuard<'_, RecentRequests> {
        // They only save work.
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
