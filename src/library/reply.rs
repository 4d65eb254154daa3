//! Requests that were prepared, and the replies to them.

use serde::{Deserialize, Serialize};
#[cfg(feature = "engine")]
use trimtab_base::conversation::Usage;
use trimtab_live::request::{self, Dialect, ReadReply, ReplyEnd};
use trimtab_run::run::CallId;

/// Tells which request a reply answers. It can be stored beside a saved session, so that a reply that arrives after a
/// restart still finds its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestHandle {
    pub(super) call: CallId,
    pub(super) dialect: Dialect,
}

#[cfg(feature = "proxy")]
impl RequestHandle {
    /// The branch of the session that the request belongs to.
    pub(crate) const fn branch(self) -> u64 {
        self.call.branch
    }
}

/// Reads a reply as its bytes come: a stream of server-sent events, or one JSON text.
#[derive(Debug)]
pub struct ReplyReader(request::ReplyReader);

/// A reply that was read to the end of its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedReply(pub(super) ReadReply);

impl ReplyReader {
    /// A reader before the first byte.
    pub fn new(dialect: Dialect) -> Self {
        Self(request::ReplyReader::new(dialect))
    }

    /// A reader of the reply to a request.
    #[cfg(feature = "proxy")]
    pub(crate) fn of(request: &request::Request) -> Self {
        Self(request::ReplyReader::after(request.dialect(), request.unnamed_calls()))
    }

    /// Reads the next bytes, which may end anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Whether the event that ends a reply has come, so that nothing that follows changes it. A client may send its next
    /// request then, before the stream has ended.
    pub const fn has_ended(&self) -> bool {
        self.0.has_ended()
    }

    /// The reply, after the last byte.
    pub fn finish(self) -> StreamedReply {
        StreamedReply(self.0.finish())
    }
}

impl StreamedReply {
    /// The tokens of the call, if the provider reports them.
    #[cfg(feature = "engine")]
    pub const fn usage(&self) -> Option<Usage> {
        self.0.usage
    }

    /// How the bytes ended.
    pub const fn end(&self) -> &ReplyEnd {
        &self.0.end
    }
}
