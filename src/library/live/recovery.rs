//! Sessions that go on in another process without the texts of their conversation, which the client sends again.

use std::sync::OnceLock;

use trimtab_live::engine::Engine;
use trimtab_live::request::{Dialect, Request, RequestError};
use trimtab_run::run::{Session, Unlogged};

use super::super::host::Host;
use super::super::policy::Plan;
use super::LiveSession;

impl LiveSession {
    /// The session that a log of decisions describes, for a request that goes on with it. None if the log is of another
    /// plan, or has nothing of the history of the request.
    pub(crate) fn recovered(
        plan: &Plan,
        host: Host,
        engine: Engine,
        id: &str,
        log: &str,
        request: &Request,
    ) -> Option<Self> {
        let session = Session::recovered(&plan.0, log, request.history())?;
        let new = Self::new(plan, host, engine, id);
        let session = OnceLock::from(new.live(new.host.observed(session)));
        Some(Self { session, ..new })
    }

    /// Reads a request with what is known of the ones before it.
    pub(crate) fn read(&self, dialect: Dialect, json: &str) -> Result<Request, RequestError> {
        self.requests().read(dialect, json)
    }

    /// Whether a request goes on with one of this session. It need not be valid.
    pub(crate) fn continues_in(&self, dialect: Dialect, json: &str) -> bool {
        self.requests().continue_in(dialect, json)
    }

    /// What the log of decisions does not have, in the order in which it must be appended.
    pub(crate) fn unlogged(&self) -> Vec<Unlogged> {
        self.session.get().map(|session| session.with(|session| session.unlogged())).unwrap_or_default()
    }

    /// Takes note that a part is in the log of decisions.
    pub(crate) fn mark_logged(&self, part: &Unlogged) {
        if let Some(session) = self.session.get() {
            session.with(|session| session.mark_logged(part));
        }
    }
}
