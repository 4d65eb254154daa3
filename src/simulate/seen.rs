//! What a replay notes beside calls and rules: what the recording itself holds, and results that are fetched again.

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;

use crate::conversation::{Arguments, Change, ClearedResult, Conversation, Message, Receipt, Role};
use crate::transcript::Transcript;

/// What a recording holds, whatever a plan makes of it, and what came of results that a plan reduced.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The tools that it declares or calls.
    pub tools: BTreeSet<SmolStr>,
    /// Tokens that the first call sends whatever was said: the system prompt, and what stands beside the messages.
    pub overhead: u64,
    /// Whether recorded usage or recorded schemas tell what stands beside the messages; else the policy does.
    pub measured: bool,
    /// Tokens of all tool results.
    pub results: u64,
    /// Tokens of those that are errors.
    pub errors: u64,
    /// The largest context at which rules were tried, in tokens.
    pub peak: u64,
    /// Calls that were made again after their result had been reduced.
    pub again: Vec<Again>,
}

/// A call that was made again after its result had been reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The model call that makes it again.
    pub call: usize,
    /// The model call around which its result was reduced.
    pub reduced: usize,
    /// The rule that reduced it, by its index.
    pub rule: usize,
    /// The tool.
    pub tool: SmolStr,
}

impl Seen {
    /// What stands at the head of a transcript.
    pub(super) fn of(transcript: &Transcript, has_usage: bool) -> Self {
        let schemas = transcript.tools.iter().any(|tool| tool.schema.is_some() || tool.description.is_some());
        Self {
            tools: transcript.tools.iter().map(|tool| tool.name.clone()).collect(),
            measured: has_usage || schemas,
            ..Self::default()
        }
    }

    /// Notes a message that has come in with so many tokens.
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

/// Calls whose results stand in the context in fewer words than the tool gave, each with the rule that cut them and
/// when. A call is looked up by what it says, so that a replay stays linear.
#[derive(Debug, Default)]
pub(super) struct Reduced(HashMap<(SmolStr, String), (usize, usize)>);

impl Reduced {
    /// Nothing that was reduced before counts: the recorded harness compacted.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes the results that a rule has reduced around a call.
    pub(super) fn note(&mut self, conversation: &Conversation, receipts: &[Receipt], rule: usize, call: usize) {
        let reduced = |receipt: &&Receipt| matches!(receipt.change, Change::Reduced(_)) && receipt.saved() > 0;
        for receipt in receipts.iter().filter(reduced) {
            let answered = conversation.index(receipt.message).and_then(|at| conversation.answered(at));
            if let Some((tool, arguments)) = answered {
                self.0.entry((tool.clone(), said(arguments))).or_insert((rule, call));
            }
        }
    }

    /// The recorded harness cleared these results: whatever a rule did to them before counts no longer.
    pub(super) fn forget(&mut self, conversation: &Conversation, cleared: &[ClearedResult]) {
        for one in cleared {
            let answered = conversation.index(one.message).and_then(|at| conversation.answered(at));
            if let Some((tool, arguments)) = answered {
                self.0.remove(&(tool.clone(), said(arguments)));
            }
        }
    }

    /// The calls of a reply whose results have been reduced; each reduction counts once.
    pub(super) fn again(&mut self, reply: &Message, call: usize) -> Vec<Again> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let made = reply.calls().filter_map(|(_, tool, arguments)| {
            let (rule, reduced) = self.0.remove(&(tool.clone(), said(arguments)))?;
            Some(Again { call, reduced, rule, tool: tool.clone() })
        });
        made.collect()
    }
}

/// The arguments of a call, equal where the values are.
fn said(arguments: &Arguments) -> String {
    match arguments.parsed() {
        Some(value) => {
            let mut value = value.into_owned();
            value.sort_all_objects();
            value.to_string()
        }
        None => arguments.text().into_owned(),
    }
}
