//! The last requests of a client, so that what the next one has in common with them is done once.

use std::sync::Arc;

use trimtab_recordings::transcript::api::UnnamedCalls;
use trimtab_run::run::Session;

use super::dialect::Dialect;
use super::error::RequestError;
use super::layout::SharedList;
use super::render::{Rendered, Renderings};
use super::{MAX_RECENT, Request};

/// The last request of each branch of a session, the newest last.
#[derive(Clone, Debug, Default)]
pub struct RecentRequests(Vec<RecentRequest>);

/// A request that was read, with what was rendered in its place.
#[derive(Clone, Debug)]
pub struct RecentRequest {
    branch: u64,
    request: Arc<Request>,
    renderings: Renderings,
}

impl RecentRequests {
    /// Reads a request like [`Request::read`], with the recent request that shares most with it.
    ///
    /// # Errors
    /// Those of [`Request::read`].
    pub fn read(&self, dialect: Dialect, json: &str) -> Result<Request, RequestError> {
        Request::read(dialect, self.closest(dialect, json), json)
    }

    fn closest(&self, dialect: Dialect, json: &str) -> Option<&Request> {
        let mut closest = None;
        let same_dialect = self.0.iter().rev().map(|recent| recent.request.as_ref());
        for request in same_dialect.filter(|request| request.dialect == dialect) {
            let shared = SharedList::of(request, json).map_or(0, |shared| shared.elements);
            if closest.is_none_or(|(most, _)| shared > most) {
                closest = Some((shared, request));
            }
            if shared == request.layout.elements.len() {
                break;
            }
        }
        closest.map(|(_, request)| request)
    }

    /// Keeps the request that a branch was given last.
    pub fn keep(&mut self, branch: u64, request: Arc<Request>) -> &mut RecentRequest {
        let known = self.0.iter().position(|recent| recent.branch == branch).map(|at| self.0.remove(at));
        // A new branch shares its beginning with the one that was used last.
        let renderings = known.map(|known| known.renderings).or_else(|| Some(self.0.last()?.renderings.clone()));
        if self.0.len() == MAX_RECENT {
            self.0.remove(0);
        }
        let at = self.0.len();
        self.0.push(RecentRequest { branch, request, renderings: renderings.unwrap_or_default() });
        &mut self.0[at]
    }

    /// The request that a branch was given last.
    pub fn of_branch(&mut self, branch: u64) -> Option<&mut RecentRequest> {
        self.0.iter_mut().find(|recent| recent.branch == branch)
    }

    /// The calls in the history of the request that a branch was given last.
    pub fn unnamed_calls(&self, branch: u64) -> UnnamedCalls {
        let recent = self.0.iter().find(|recent| recent.branch == branch);
        recent.map(|recent| recent.request.unnamed_calls()).unwrap_or_default()
    }

    /// The requests, the newest first.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Request> {
        self.0.iter().rev().map(|recent| recent.request.as_ref())
    }

    /// The newest request.
    pub fn last(&self) -> Option<&Request> {
        self.0.last().map(|recent| recent.request.as_ref())
    }
}

impl RecentRequest {
    /// The dialect of the request.
    pub fn dialect(&self) -> Dialect {
        self.request.dialect
    }

    /// What is sent in its place. The session's current branch must be the one of the request.
    pub fn render(&mut self, session: &Session) -> Rendered {
        self.request.render_again(session, &mut self.renderings)
    }
}
