//! The summaries of a session, by what was requested.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use trimtab_language::effect::SummaryRequest;

/// How many summaries are kept.
const MAX_SUMMARIES: usize = 64;

/// The last answers to requests for summaries. A branch that needs a summary which another branch has received gets the
/// same one, so that the request that follows has the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KnownSummaries(VecDeque<(String, String)>);

impl KnownSummaries {
    pub(super) fn get(&self, request: &SummaryRequest) -> Option<&str> {
        let digest = digest(request);
        self.0.iter().find(|(known, _)| *known == digest).map(|(_, text)| text.as_str())
    }

    pub(super) fn insert(&mut self, request: &SummaryRequest, text: &str) {
        self.remove(request);
        if self.0.len() == MAX_SUMMARIES {
            self.0.pop_front();
        }
        self.0.push_back((digest(request), text.to_owned()));
    }

    pub(super) fn remove(&mut self, request: &SummaryRequest) {
        let digest = digest(request);
        self.0.retain(|(known, _)| *known != digest);
    }
}

/// The SHA-256 of a request.
fn digest(request: &SummaryRequest) -> String {
    let mut hash = Sha256::new();
    for text in [&request.instructions, request.previous.as_ref().unwrap_or(&String::new()), &request.transcript] {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.update(request.at_most.unwrap_or(u64::MAX).to_le_bytes());
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
