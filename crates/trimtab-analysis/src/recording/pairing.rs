//! Which tool result answers which tool call. Ids are not unique in all recordings.

use std::collections::HashMap;

use smol_str::SmolStr;
use trimtab_recordings::transcript::Transcript;

/// A tool call and the message that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PairedCall {
    /// The id; may be empty.
    pub(super) id: SmolStr,
    /// The tool.
    pub(super) tool: SmolStr,
    /// The index of the message with the call.
    pub(super) message: usize,
    /// The index of the message with the result.
    pub(super) result: Option<usize>,
}

/// The calls of a transcript in order, and the results that answer none.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairing {
    pub(super) calls: Vec<PairedCall>,
    /// The messages with results that answer no call, and the ids of these results.
    pub(super) orphans: Vec<(usize, SmolStr)>,
    /// The call that the result of a message answers.
    answered: HashMap<usize, usize>,
}

impl Pairing {
    /// Pairs each result with the nearest unanswered call of the same id before it. Copies of messages that a harness kept are
    /// left out.
    pub(super) fn of(transcript: &Transcript) -> Self {
        let mut pairing = Self::default();
        let mut open: HashMap<SmolStr, Vec<usize>> = HashMap::new();
        for (message, one) in transcript.messages.iter().enumerate().filter(|(_, one)| !one.kept) {
            for (id, tool, _) in one.calls() {
                open.entry(id.clone()).or_default().push(pairing.calls.len());
                pairing.calls.push(PairedCall { id: id.clone(), tool: tool.clone(), message, result: None });
            }
            for result in one.results() {
                let calls = open.get_mut(&result.id);
                // Several calls without an id are answered in their order.
                let call = calls
                    .filter(|calls| !calls.is_empty())
                    .and_then(|calls| if result.id.is_empty() { Some(calls.remove(0)) } else { calls.pop() });
                match call {
                    Some(call) => {
                        pairing.calls[call].result = Some(message);
                        pairing.answered.insert(message, call);
                    }
                    None => pairing.orphans.push((message, result.id.clone())),
                }
            }
        }
        pairing
    }

    /// The tool whose result a message contains.
    pub(super) fn tool_of(&self, message: usize) -> Option<SmolStr> {
        self.answered.get(&message).map(|call| self.calls[*call].tool.clone())
    }
}
