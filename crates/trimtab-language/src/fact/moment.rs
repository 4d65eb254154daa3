//! The moment at which facts are read.

use std::collections::BTreeSet;

use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Conversation, Counter, Miss, ToolResult, Views};
use trimtab_base::playbook::Playbook;
use trimtab_base::quantity::Decimal;

use super::agent_identity::AgentIdentity;
use super::history::{Counts, Rules, RunHistory, SessionHistory, Spending};
use super::host_values::HostValues;
use super::scope::Scope;
use super::session_log::SessionLog;
use super::tail::TailCache;

/// Everything that facts are read from.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The conversation as earlier rules left it.
    pub conversation: &'a Conversation,
    /// The token counter.
    pub counter: &'a dyn Counter,
    /// What would be sent now, in tokens.
    pub tokens: u64,
    /// The tokens that are sent besides messages if all tools are offered.
    pub overhead: u64,
    /// The context of the last call as the provider reported it, or `None` before the first reply.
    pub reported: Option<u64>,
    /// The agent of the session.
    pub agent: &'a AgentIdentity,
    /// The model of the call, or `None` if it is unknown.
    pub model: Option<&'a SmolStr>,
    /// The context window in tokens, or `None` if it is unknown.
    pub window: Option<u64>,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// The run so far.
    pub run: &'a RunHistory,
    /// The session so far.
    pub session: &'a SessionHistory,
    /// What has happened in all runs.
    pub log: &'a SessionLog,
    /// Seconds between the last reply and this call, or `None` if that is unknown.
    pub idle: Option<Decimal>,
    /// How long the provider keeps what the last request left in its cache, in seconds, or `None` if it keeps nothing.
    pub cache_lifetime: Option<u64>,
    /// The declared tools.
    pub tools: &'a BTreeSet<SmolStr>,
    /// What the session has learned.
    pub playbook: &'a Playbook,
    /// What earlier rules have made different in the next request.
    pub views: &'a Views,
    /// The facts that the host supplies.
    pub host: &'a HostValues,
    /// What rules have done.
    pub rules: &'a dyn Rules,
    /// Counts over the newest messages.
    pub tail: &'a TailCache,
    /// The compaction miss that the phase is about. Facts about the newest call and its result are about it then.
    pub miss: Option<&'a Miss>,
}

impl<'a> Moment<'a> {
    /// The counts of the run, or of the session.
    pub(super) const fn counts(&self, scope: Scope) -> &'a Counts {
        match scope {
            Scope::Run => &self.run.counts,
            Scope::Session => &self.session.counts,
        }
    }

    /// What calls have used in the run, or in the session.
    pub(super) const fn spent(&self, scope: Scope) -> &'a Spending {
        match scope {
            Scope::Run => &self.run.spent,
            Scope::Session => &self.session.spent,
        }
    }

    /// The number of model calls before the next or current one, in the run or in the session.
    pub(super) const fn iteration(&self, scope: Scope) -> u64 {
        match scope {
            Scope::Run => self.run.iteration,
            Scope::Session => self.session.iteration,
        }
    }

    /// Tool and arguments of the newest call in the context, as recorded; of the missed one in a phase about a miss.
    pub(super) fn call(&self) -> Option<(&'a SmolStr, &'a Arguments)> {
        if let Some(miss) = self.miss {
            return Some((&miss.tool, &miss.arguments));
        }
        let (_, tool, arguments) = self.tail.call(self.conversation)?.calls().next_back()?;
        Some((tool, arguments))
    }

    /// The newest result in the context, as it is there; in a phase about a miss, the earlier result of the missed call.
    pub(super) fn result(&self) -> Option<&'a ToolResult> {
        match self.miss {
            Some(miss) => self.conversation.missed_result(miss),
            None => self.tail.result(self.conversation)?.results().next_back(),
        }
    }
}
