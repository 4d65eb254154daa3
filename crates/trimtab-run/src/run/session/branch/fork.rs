//! Branches that depart from another one, and branches that are restored.

use std::sync::Arc;

use super::{Branch, Record};

impl Branch {
    /// Whether a history that shares this many messages continues this branch. A retry sends the open call again.
    pub(in super::super) fn continues_with(&self, shared: usize, is_retry: bool) -> bool {
        shared == self.len() && (is_retry || !self.will_be_open())
    }

    /// A copy as it was before the message at an index, made from a new branch. The call whose reply that message was, or
    /// which is open, stays open if it is retried; otherwise it is as if it had not been made.
    pub(in super::super) fn fork(&self, shared: usize, is_retry: bool, new: Self) -> Self {
        let record = self.history.get(shared).map_or(Some(self.log.len()), |seen| seen.record);
        let mut log = self.log[..record.unwrap_or(self.log.len())].to_vec();
        let last_call = log.iter().rposition(|record| *record == Record::Call);
        let is_open = |call: usize| !log[call..].iter().any(is_reply);
        if let Some(call) = last_call.filter(|call| !is_retry && is_open(*call)) {
            log.truncate(call);
        }
        let mut fork = new.replayed(log, 0, 0);
        // Messages that the driver has not been told yet.
        self.history[fork.len()..shared].iter().for_each(|seen| fork.push(Arc::clone(&seen.message)));
        fork
    }

    /// The branch after everything in a log has happened again.
    pub(in super::super) fn replayed(mut self, log: Vec<Record>, recorded: usize, recording_length: u64) -> Self {
        for record in log {
            match record {
                Record::Answer(answer) => drop(self.advance(Some(answer))),
                Record::Message(message) => {
                    self.tell_later(message);
                    drop(self.advance(None));
                }
                Record::Fact(name, value) => {
                    self.supply_later(name, value);
                    drop(self.advance(None));
                }
                other => {
                    self.waiting.push_back(other);
                    drop(self.advance(None));
                }
            }
        }
        self.outcomes.clear();
        self.events.clear();
        (self.recorded, self.recording_length) = (recorded, recording_length);
        self
    }
}

fn is_reply(record: &Record) -> bool {
    matches!(record, Record::Message(message) if message.is_reply())
}
