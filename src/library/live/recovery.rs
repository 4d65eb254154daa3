//! Sessions that go on in another process without the texts of their conversation, which the client sends again.

use std::sync::OnceLock;

use trimtab_live::engine::Engine;
use trimtab_live::request::{Closest, Dialect, Request};
use trimtab_run::run::{Session, Unlogged};

use super::super::host::Host;
use super::super::policy::Plan;
use super::LiveSession;

impl LiveSession {
    /// The session that a log of decisions describes, for a request that goes on with it. Returns `None` if the log is
    /// of another plan, or has nothing of the history of the request.
    pub(crate) fn recovered(
        plan: &Plan,
        host: Host,
        engine: impl FnOnce() -> Engine,
        id: &str,
        log: &str,
        request: &Request,
    ) -> Option<Self> {
        let session = Session::recovered(&plan.0, log, request.history())?;
        let new = Self::new(plan, host, engine(), id);
        let session = OnceLock::from(new.live(new.host.configured(session)));
        Some(Self { session, ..new })
    }

    /// The recent request of this session that shares most with a text, which need not be valid.
    pub(crate) fn closest(&self, dialect: Dialect, json: &str) -> Option<Closest> {
        self.requests().closest(dialect, json)
    }

    /// The bytes of the requests that are kept to compare the next ones with.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.requests().bytes()
    }

    /// What the log of decisions does not have, in the order in which it must be appended.
    pub(crate) fn unlogged(&self) -> Vec<Unlogged> {
        self.session.get().map(|session| session.with(|session| session.unlogged())).unwrap_or_default()
    }

    /// Marks a part as written to the log of decisions.
    pub(crate) fn mark_logged(&self, part: &Unlogged) {
        if let Some(session) = self.session.get() {
            session.with(|session| session.mark_logged(part));
        }
    }
}
