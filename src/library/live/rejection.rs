//! Requests that a provider has rejected.

use std::sync::Arc;

use trimtab_live::engine::Prepared;
use trimtab_live::request::RequestError;
use trimtab_run::run::{Session, Stop};

use super::{LiveNext, LiveRequest, LiveSession};
use crate::library::prepared::prepared;

impl LiveSession {
    /// Reports that the provider has rejected a request as too long, and returns what to send in its place. Returns
    /// `None` if no rule on `overflow` has shortened it; such rules are tried once for each call.
    ///
    /// # Errors
    /// The request is not of this session.
    pub async fn rejected(&self, request: &LiveRequest) -> Result<Option<LiveNext>, RequestError> {
        let session = self.session_of(request)?;
        let render =
            |session: &mut Session| self.requests().of_branch(session.branch()).map(|recent| prepared(recent, session));
        let (next, warnings) = session.rejected(request.prepared.handle.call, render).await;
        Ok(match next {
            Some(Prepared::Send { request: Some(prepared), .. }) if prepared.json != request.prepared.json => {
                Some(LiveNext::Send(LiveRequest { prepared, warnings, session: Arc::clone(&self.id) }))
            }
            Some(Prepared::Send { .. }) | None => None,
            Some(Prepared::Stop(Stop { rule, text })) => {
                Some(LiveNext::Stop { rule: rule.to_string(), reason: text, warnings })
            }
        })
    }
}
