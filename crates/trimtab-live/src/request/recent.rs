//! The last requests of a client, so that what the next one has in common with them is done once.

use std::sync::Arc;

use trimtab_recordings::transcript::api::UnnamedCalls;
use trimtab_run::run::Session;

use super::dialect::Dialect;
use super::error::RequestError;
use super::layout::{SharedList, list_start};
use super::render::{Rendered, Renderings};
use super::text::RequestText;
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

/// The recent request whose list shares most with the one of a request that is about to be read.
#[derive(Clone, Debug)]
pub struct Closest {
    request: Arc<Request>,
    shared: Option<SharedList>,
}

impl Closest {
    /// Whether the request begins like this one up to a message of the model. Then it is of the same conversation.
    pub fn is_continued(&self) -> bool {
        let shared = self.shared.map_or(0, |shared| shared.elements);
        self.request.opening_length().is_some_and(|length| length <= shared)
    }

    /// Reads the request for which this one was found.
    ///
    /// # Errors
    /// Those of [`Request::read`].
    pub fn read(&self, json: RequestText) -> Result<Request, RequestError> {
        Request::read_after(self.request.dialect, Some(&self.request), self.shared, json)
    }
}

impl RecentRequests {
    /// Reads a request like [`Request::read`], with the recent request that shares most with it.
    ///
    /// # Errors
    /// Those of [`Request::read`].
    pub fn read(&self, dialect: Dialect, json: impl Into<RequestText>) -> Result<Request, RequestError> {
        let json = json.into();
        match self.closest(dialect, &json) {
            Some(closest) => closest.read(json),
            None => Request::read(dialect, None, json),
        }
    }

    /// Returns the recent request of a dialect that shares most with a text, which need not be valid, or `None` if
    /// there is no request.
    pub fn closest(&self, dialect: Dialect, json: &str) -> Option<Closest> {
        let mut same_dialect = self.0.iter().rev().map(|recent| &recent.request);
        let mut same_dialect = same_dialect.by_ref().filter(|request| request.dialect == dialect).peekable();
        same_dialect.peek()?;
        let start = list_start(dialect, json);
        let mut closest: Option<(usize, Closest)> = None;
        for request in same_dialect {
            let shared = start.and_then(|start| SharedList::of(request, json, start));
            let elements = shared.map_or(0, |shared| shared.elements);
            if closest.as_ref().is_none_or(|(most, _)| elements > *most) {
                closest = Some((elements, Closest { request: Arc::clone(request), shared }));
            }
            if elements == request.layout.elements.len() {
                break;
            }
        }
        closest.map(|(_, closest)| closest)
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

    /// The bytes of their texts.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|recent| recent.request.text.len()).sum()
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
