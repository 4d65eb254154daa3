//! How often each tool was called, and how large its results are.

use std::collections::HashMap;

use smol_str::SmolStr;
use trimtab_base::conversation::Counter;
use trimtab_recordings::transcript::Transcript;
use trimtab_simulate::simulate::Sent;

use super::held::message_of;
use crate::recording::pairing::Pairing;

/// The calls of a tool and their results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolHistory {
    /// The tool.
    pub name: SmolStr,
    /// How often it was called.
    pub calls: usize,
    /// Its results that are errors.
    pub errors: usize,
    /// How many of these are errors by their text only.
    pub inferred_errors: usize,
    /// The counted tokens of its results.
    pub tokens: u64,
    /// The counted tokens of its results in the context of the last call.
    pub final_tokens: u64,
}

/// The tools while a transcript is replayed.
#[derive(Default)]
pub(super) struct ToolHistories {
    all: Vec<ToolHistory>,
    /// The tool of the result in each message, as an index.
    tools: HashMap<usize, usize>,
}

impl ToolHistories {
    pub(super) fn of(transcript: &Transcript, counter: &dyn Counter) -> Self {
        let pairing = Pairing::of(transcript);
        let mut tools = Self::default();
        for call in &pairing.calls {
            let tool = tools.index(&call.tool);
            tools.all[tool].calls += 1;
        }
        for (message, one) in transcript.messages.iter().enumerate().filter(|(_, one)| !one.kept) {
            for result in one.results() {
                let name = pairing.tool_of(message).or_else(|| result.name.clone());
                let tool = tools.index(&name.unwrap_or_else(|| SmolStr::new_static("unknown tool")));
                tools.all[tool].errors += usize::from(result.is_error);
                tools.all[tool].inferred_errors += usize::from(result.is_error && one.inferred_error);
                tools.all[tool].tokens += counter.message(one);
                tools.tools.insert(message, tool);
            }
        }
        tools
    }

    fn index(&mut self, name: &SmolStr) -> usize {
        self.all.iter().position(|tool| tool.name == *name).unwrap_or_else(|| {
            self.all.push(ToolHistory { name: name.clone(), ..ToolHistory::default() });
            self.all.len() - 1
        })
    }

    /// Counts the results in the context of the last call.
    pub(super) fn count_final(&mut self, sent: &Sent<'_>) {
        for entry in sent.conversation.entries() {
            if let Some(tool) = self.tools.get(&message_of(entry)) {
                self.all[*tool].final_tokens += entry.tokens();
            }
        }
    }

    /// The tools in the order of their first call.
    pub(super) fn finish(self) -> Vec<ToolHistory> {
        self.all
    }
}
