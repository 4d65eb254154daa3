//! The calls of a session, so that each reply finds its own.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use trimtab_base::conversation::{Message, Usage};
use trimtab_base::hook::{HostEvent, Overflow};

use super::{Next, Session};

/// A model call of a session. It stays valid when the session is saved and continued in another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallId {
    /// The number of its branch.
    pub branch: u64,
    /// Its number among the calls of the branch, from 1.
    pub call: u64,
}

impl Session {
    /// The call of the last request.
    pub fn call(&self) -> CallId {
        let branch = self.current();
        CallId { branch: branch.number(), call: branch.calls() }
    }

    /// Reports that the provider has rejected the request of a call as too long. The rules on `overflow` run, unless they have
    /// been tried for this call. `Send` gives the request again; if it has not changed, no rule could shorten it. A call that has a
    /// reply, or is not the last one of its branch, needs nothing.
    pub fn rejected(&mut self, call: CallId) -> Next {
        if !self.switch_to(call.branch) {
            return Next::Ready;
        }
        if self.current().is_open(call.call) && self.current().is_ready_to_send() {
            self.host_event(HostEvent::Overflow(Overflow::default()))
        } else {
            Next::Ready
        }
    }

    /// Adds the reply to a call like [`after_reply`](Self::after_reply). Of two replies to one call, as after two equal
    /// requests at once, the first one counts until a history has the other one. A reply to a call of a branch that the
    /// session has forgotten changes nothing.
    pub fn after_reply_to(
        &mut self,
        call: CallId,
        reply: &Arc<Message>,
        usage: Option<Usage>,
        now: Option<&str>,
    ) -> Next {
        if !self.switch_to(call.branch) {
            return Next::Ready;
        }
        if self.current().is_open(call.call) { self.after_reply(reply, usage, now) } else { self.advance(None) }
    }
}
