//! Edits of the recorded harness, applied to the conversation under the policy.

use foldhash::HashMap;
use trimtab_base::conversation::{Change, Cleared, Message, MessageId, Receipt};
use trimtab_recordings::transcript::Transcript;
use trimtab_run::run::ClearedResult;

use super::Replay;
use crate::simulate::series::{Freed, UsageDrop};
use crate::simulate::summariser::Summariser;
use crate::simulate::trace::{Clearing, Reset, ResetCause};

impl Replay<'_> {
    /// Applies what the harness did before a message, which has this index.
    pub(super) fn apply_harness_edits(&mut self, at: usize, message: &Message, summariser: &mut dyn Summariser) {
        if let Some(cleared) = message.cleared() {
            let freed = self.recorded.clear(cleared);
            self.clear(cleared, &freed, false);
        }
        if message.resets {
            self.end_iteration(summariser);
            let cause = match message.compaction() {
                None if message.run.is_some() => ResetCause::Cleared,
                compaction => ResetCause::Compaction(compaction.unwrap_or_default()),
            };
            self.recorded.reset();
            self.driver.reset(self.recorded.overhead(&self.inputs.overheads));
            self.diverged = false;
            self.begin_segment(cause);
        } else if let Some(usage_drop) = self.inputs.drops.get(&at) {
            self.end_iteration(summariser);
            self.apply_drop(usage_drop);
        }
    }

    /// Bills the calls that the harness made for itself before the message with this index.
    pub(super) fn bill_harness_calls(&mut self, at: usize) {
        while let Some(call) = self.harness_calls.as_slice().first().filter(|call| call.messages <= at) {
            self.harness_calls.next();
            let is_stopped = self.driver.stopped_by().is_some();
            self.ledger.bill_harness(call, is_stopped, self.driver.environment());
        }
    }

    fn end_iteration(&mut self, summariser: &mut dyn Summariser) {
        self.driver.end_iteration();
        self.advance(summariser);
    }

    fn apply_drop(&mut self, usage_drop: &UsageDrop) {
        let freed = self.recorded.apply_drop(usage_drop);
        self.trace.drops.push(self.trace.calls.len());
        match usage_drop {
            UsageDrop::Cleared(cleared) => {
                self.clear(cleared, &freed, true);
                self.driver.restart_meter(self.recorded.overhead(&self.inputs.overheads));
            }
            UsageDrop::Reset => {
                let overhead = self.recorded.overhead(&self.inputs.overheads);
                // The open turn of a stopped run has not happened.
                let is_prevented = self.driver.stopped_by().is_some();
                if is_prevented {
                    self.driver.reset(overhead);
                } else {
                    self.driver.keep_pending_calls(overhead);
                }
                self.begin_segment(ResetCause::Unexplained);
                if is_prevented {
                    self.prevented = self.recorded.without_prompt().into();
                }
            }
        }
    }

    fn begin_segment(&mut self, cause: ResetCause) {
        self.trace.resets.push(Reset { call: self.trace.calls.len(), cause });
        self.saved_per_call.fill(0);
        self.prevented = 0;
        self.regret.reset(self.driver.conversation(), cause == ResetCause::Unexplained);
        self.last_edits.clear();
    }

    /// Applies a clearing: the harness replaced results with placeholders. This makes the recorded context smaller, and the
    /// kept one too, unless a rule had reduced the results before; then the rule saves less from here on.
    fn clear(&mut self, cleared: &Cleared, freed: &Freed, inferred: bool) {
        let kept = self.driver.clear_results(&cleared.results);
        let in_recorded = freed.results.iter().zip(kept).filter_map(|(freed, kept)| freed.map(|freed| (freed, kept)));
        for (freed, kept) in in_recorded {
            if let ClearedResult::Replaced(message, _) | ClearedResult::Removed(message) = kept {
                self.regret.clear(message);
            }
            // What a rule has saved is what the clearing freed in the recorded context and not in the kept one.
            match kept {
                ClearedResult::Replaced(message, freed_in_kept) => {
                    if let Some(rule) = self.last_edits.messages.remove(&message) {
                        self.saved_per_call[rule] -= freed - freed_in_kept;
                    }
                }
                ClearedResult::Removed(_) => {
                    if let Some(rule) = self.last_edits.removed {
                        self.saved_per_call[rule] -= freed;
                    }
                }
                ClearedResult::Missing => self.prevented = (self.prevented - freed).max(0),
            }
        }
        self.trace.clearings.push(Clearing {
            call: self.trace.calls.len(),
            results: freed.results.len() - freed.missing(),
            missing: freed.missing(),
            estimated: u64::try_from(freed.tokens()).unwrap_or(0),
            stated: cleared.tokens,
            measured: None,
            inferred,
        });
    }

    /// Records by how many tokens the recorded input dropped at the first call after a clearing.
    pub(super) fn measure_clearing(&mut self, usage: Option<u64>) {
        let call = self.trace.calls.len().saturating_sub(1);
        let measured = self.recorded.measured(usage).and_then(|tokens| u64::try_from(tokens).ok());
        // The drop cannot be split between two clearings before one call.
        let mut here = self.trace.clearings.iter_mut().rev().take_while(|one| one.call == call);
        if let (Some(one), None) = (here.next().filter(|one| !one.inferred), here.next()) {
            one.measured = measured;
        }
    }
}

/// The rule that last reduced each message, and the rule that last removed messages. Recorded only if the harness clears
/// results.
#[derive(Debug, Default)]
pub(super) struct LastEdits {
    is_recorded: bool,
    messages: HashMap<MessageId, usize>,
    removed: Option<usize>,
}

impl LastEdits {
    pub(super) fn of(transcript: &Transcript, clears: bool) -> Self {
        let is_recorded = clears || transcript.messages.iter().any(|message| message.cleared().is_some());
        Self { is_recorded, ..Self::default() }
    }

    /// Records a rule's edits.
    pub(super) fn record(&mut self, receipts: &[Receipt], rule: usize) {
        for receipt in receipts.iter().filter(|_| self.is_recorded) {
            match receipt.change {
                Change::Summarised(_) | Change::Removed(_) => self.removed = Some(rule),
                Change::Reduced(_) => drop(self.messages.insert(receipt.message, rule)),
                Change::Restored(_) => drop(self.messages.remove(&receipt.message)),
                Change::Appended => {}
            }
        }
    }

    fn clear(&mut self) {
        self.messages.clear();
        self.removed = None;
    }
}
