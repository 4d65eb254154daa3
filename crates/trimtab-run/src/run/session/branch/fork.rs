//! Branches that depart from another one, and branches that are restored.

use std::sync::Arc;

use trimtab_language::effect::SummaryRequest;

use super::{Branch, Record};
use crate::run::answer::Answer;

/// How much of a branch its host has taken.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Progress {
    /// How much of the log has been recorded.
    pub(in super::super) recorded: usize,
    /// The length of the recording, in bytes.
    pub(in super::super) recording_length: u64,
    /// The number of outcomes of phases that have been reported, or `None` for all.
    pub(in super::super) outcomes: Option<usize>,
}

impl Branch {
    /// Whether a history that shares this many messages continues this branch. A retry sends the open call again.
    pub(in super::super) fn continues_with(&self, shared: usize, is_retry: bool) -> bool {
        shared == self.len() && (is_retry || !self.will_be_open())
    }

    /// Whether a rule has stopped the run, so that the request of the open call is not sent.
    pub(in super::super) fn is_stopped(&self) -> bool {
        self.is_ready_to_send() && self.driver.stopped_by().is_some()
    }

    /// A copy as it was before the message at an index, made from a new branch. The call whose reply that message was, or
    /// which is open, stays open if it is retried; otherwise it is as if it had not been made.
    pub(in super::super) fn fork(&self, shared: usize, is_retry: bool, new: Self) -> Self {
        // A history that shares no more than the beginning of a compacted one departs before the compaction.
        let next = if shared <= self.compacted.start { shared } else { shared + self.compacted.len() };
        let record = self.history.get(next).map_or(Some(self.log.len()), |seen| seen.record);
        let mut log = self.log[..record.unwrap_or(self.log.len())].to_vec();
        let last_call = log.iter().rposition(|record| *record == Record::Call);
        let is_open = |call: usize| !log[call..].iter().any(is_reply);
        if let Some(call) = last_call.filter(|call| !is_retry && is_open(*call)) {
            log.truncate(call);
        }
        let mut fork = new.replayed(log, Progress::default());
        fork.last_request.continue_from(&self.last_request);
        // Messages that the driver has not got yet.
        let (present, missing) = (fork.len(), shared.saturating_sub(fork.len()));
        self.history().skip(present).take(missing).for_each(|message| fork.push(Arc::clone(message)));
        fork
    }

    /// The branch after everything in a log has happened again.
    pub(in super::super) fn replayed(self, log: Vec<Record>, progress: Progress) -> Self {
        self.replayed_with(log, progress, &mut |_, _| ())
    }

    /// The same. `answered` gets each request for a summary with its answer.
    pub(in super::super) fn replayed_with(
        mut self,
        log: Vec<Record>,
        progress: Progress,
        answered: &mut dyn FnMut(&SummaryRequest, &Answer),
    ) -> Self {
        for record in log {
            match record {
                Record::Answer(answer) => {
                    if let Some(request) = self.requested_summary() {
                        answered(request, &answer);
                    }
                    drop(self.advance(Some(answer)));
                }
                Record::Message(message) => {
                    self.enqueue_message(message);
                    drop(self.advance(None));
                }
                Record::Fact(name, value) => {
                    self.enqueue_fact(name, value);
                    drop(self.advance(None));
                }
                Record::Requested(requested) => {
                    self.restore_request(requested);
                    drop(self.advance(None));
                }
                Record::Compacted(kept) => {
                    self.compact(kept);
                    drop(self.advance(None));
                }
                other => {
                    self.waiting.push_back(other);
                    drop(self.advance(None));
                }
            }
        }
        // What a fork did before it departed was reported by the branch that it departs from.
        let reported = progress.outcomes.unwrap_or(usize::MAX).min(self.outcomes.len());
        self.outcomes.drain(..reported);
        self.reported = reported;
        self.events.clear();
        (self.recorded, self.recording_length) = (progress.recorded, progress.recording_length);
        self
    }
}

fn is_reply(record: &Record) -> bool {
    matches!(record, Record::Message(message) if message.is_reply())
}
