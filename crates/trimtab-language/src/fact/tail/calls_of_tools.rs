//! The tool calls of a session, by their tools.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::quantity::Decimal;

use crate::fact::argument::Tools;
use crate::fact::recent::Recent;
use crate::fact::scope::Scope;
use crate::fact::session_log::SessionLog;

/// Which calls of a session are of some tools, followed as it grows.
#[derive(Debug, Default)]
pub(super) struct CallsOfTools(BTreeMap<SmolStr, Matching>);

/// The calls of some tools.
#[derive(Debug, Default)]
struct Matching {
    /// How many replies have been looked at.
    replies: usize,
    /// The indices of the calls, in order.
    calls: Vec<usize>,
}

impl Matching {
    fn update(&mut self, log: &SessionLog, tools: Tools<'_>) {
        for reply in log.calling_from(self.replies) {
            let calls = reply.reply.calls().zip(reply.first..);
            self.replies += 1;
            self.calls.extend(calls.filter(|((_, tool, _), _)| tools.includes(Some(tool))).map(|(_, at)| at));
        }
    }
}

impl CallsOfTools {
    /// The number of calls of some tools that are this recent.
    pub(super) fn count(
        &mut self,
        log: &SessionLog,
        tools: Tools<'_>,
        (recent, scope): (Option<Recent>, Scope),
        now: Option<Decimal>,
    ) -> usize {
        let first = log.first_call(recent, scope, now);
        if tools.key().is_empty() {
            return log.calls() - first;
        }
        let matching = self.matching(log, tools);
        matching.calls.len() - matching.calls.partition_point(|call| *call < first)
    }

    /// The index of the call after the newest one of some tools; 0 if they were not called.
    pub(super) fn after_newest(&mut self, log: &SessionLog, tools: Tools<'_>) -> usize {
        self.matching(log, tools).calls.last().map_or(0, |call| call + 1)
    }

    /// The calls of some tools, up to the newest call.
    fn matching(&mut self, log: &SessionLog, tools: Tools<'_>) -> &Matching {
        let matching = self.0.entry(tools.key().into()).or_default();
        matching.update(log, tools);
        matching
    }
}
