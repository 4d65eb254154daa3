//! Observations of a replay that do not belong to a call or a rule: properties of the recording, and tool results that
//! were fetched again.

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;

use crate::conversation::{Arguments, Change, ClearedResult, Conversation, Message, Receipt, Role};
use crate::transcript::Transcript;

/// Properties of a recording that do not depend on the plan, and tool results that were fetched again after a reduction.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The tools that the recording declares or calls.
    pub tools: BTreeSet<SmolStr>,
    /// Tokens that the first call sends before any other message: the system prompt and the overhead.
    pub overhead: u64,
    /// Whether the overhead comes from recorded usage or recorded schemas, and not from the policy.
    pub is_measured: bool,
    /// Tokens of all tool results.
    pub results: u64,
    /// Tokens of error results.
    pub errors: u64,
    /// The largest context at which rules were tried, in tokens.
    pub peak: u64,
    /// Calls that were repeated after their result had been reduced.
    pub refetches: Vec<Refetch>,
}

/// A call that was repeated after its result had been reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refetch {
    /// The model call that repeats it.
    pub call: usize,
    /// The model call at which its result was reduced.
    pub reduced: usize,
    /// The index of the rule that reduced it.
    pub rule: usize,
    /// The tool.
    pub tool: SmolStr,
}

impl Observed {
    /// The observations at the beginning of a transcript.
    pub(super) fn of(transcript: &Transcript, has_usage: bool) -> Self {
        let schemas = transcript.tools.iter().any(|tool| tool.schema.is_some() || tool.description.is_some());
        Self {
            tools: transcript.tools.iter().map(|tool| tool.name.clone()).collect(),
            is_measured: has_usage || schemas,
            ..Self::default()
        }
    }

    /// Adds a message with its number of tokens.
    pub(super) fn add(&mut self, message: &Message, tokens: u64) {
        for (_, name, _) in message.calls() {
            if !self.tools.contains(name) {
                self.tools.insert(name.clone());
            }
        }
        if message.role == Role::Tool {
            self.results += tokens;
            if message.results().any(|result| result.is_error) {
                self.errors += tokens;
            }
        }
    }
}

/// Calls whose results have been reduced, each with the rule and the model call that reduced it. A call is found by its
/// tool and arguments, so that a replay stays linear.
#[derive(Debug, Default)]
pub(super) struct ReducedResults(HashMap<(SmolStr, String), (usize, usize)>);

impl ReducedResults {
    /// Forgets all reductions, because the recorded harness compacted.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Records the results that a rule reduced at a call.
    pub(super) fn record(&mut self, conversation: &Conversation, receipts: &[Receipt], rule: usize, call: usize) {
        // Whole messages that were removed or that a summary replaces cannot be traced to one call.
        let is_reduction = |receipt: &&Receipt| match receipt.change {
            Change::Reduced(_) => receipt.saved() > 0,
            Change::Restored(_) | Change::Summarised(_) | Change::Removed(_) | Change::Appended => false,
        };
        for receipt in receipts.iter().filter(is_reduction) {
            let answered = conversation.index(receipt.message).and_then(|at| conversation.answered(at));
            if let Some((tool, arguments)) = answered {
                self.0.entry((tool.clone(), normalised(arguments))).or_insert((rule, call));
            }
        }
    }

    /// Forgets the reductions of results that the recorded harness cleared.
    pub(super) fn forget(&mut self, conversation: &Conversation, cleared: &[ClearedResult]) {
        for one in cleared {
            let answered = conversation.index(one.message).and_then(|at| conversation.answered(at));
            if let Some((tool, arguments)) = answered {
                self.0.remove(&(tool.clone(), normalised(arguments)));
            }
        }
    }

    /// The calls of a reply whose results have been reduced. Each reduction counts once.
    pub(super) fn refetches(&mut self, reply: &Message, call: usize) -> Vec<Refetch> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let repeated = reply.calls().filter_map(|(_, tool, arguments)| {
            let (rule, reduced) = self.0.remove(&(tool.clone(), normalised(arguments)))?;
            Some(Refetch { call, reduced, rule, tool: tool.clone() })
        });
        repeated.collect()
    }
}

/// The arguments of a call as text that is equal for equal values.
fn normalised(arguments: &Arguments) -> String {
    match arguments.parsed() {
        Some(value) => {
            let mut value = value.into_owned();
            value.sort_all_objects();
            value.to_string()
        }
        None => arguments.text().into_owned(),
    }
}
