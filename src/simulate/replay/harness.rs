//! What the recorded harness did to its context, done to the kept conversation before a message.

use std::collections::{HashMap, VecDeque};

use smol_str::SmolStr;

use super::Replay;
use crate::conversation::{Change, Cleared, ClearedResult, Message, MessageId, Receipt};
use crate::simulate::series::Freed;
use crate::simulate::stretch::Fall;
use crate::simulate::summariser::Summariser;
use crate::simulate::trace::{Clearing, Reset, ResetCause};
use crate::transcript::Transcript;

impl Replay<'_> {
    /// Takes in what the harness did before a message, which is the one at this index.
    pub(super) fn follow_harness(&mut self, at: usize, message: &Message, summariser: &mut dyn Summariser) {
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
            self.conversation.reset();
            self.recorded.reset();
            self.diverged = false;
            self.begin_stretch(cause);
        } else if let Some(fall) = self.basis.falls.get(&at) {
            self.end_iteration(summariser);
            self.fall(fall);
        }
    }

    fn fall(&mut self, fall: &Fall) {
        let freed = self.recorded.fall(fall);
        self.trace.falls.push(self.trace.calls.len());
        match fall {
            Fall::Cleared(cleared) => {
                self.clear(cleared, &freed, true);
                self.state.meter.restart(self.recorded.overhead(self.basis));
            }
            Fall::Anew => {
                self.conversation.keep_open_turn();
                self.begin_stretch(ResetCause::Unexplained);
            }
        }
    }

    fn begin_stretch(&mut self, cause: ResetCause) {
        self.trace.resets.push(Reset { call: self.trace.calls.len(), cause });
        self.state.meter.restart(self.recorded.overhead(self.basis));
        self.standing.fill(0);
        self.reduced.clear();
        self.saved_by.clear();
    }

    /// The harness replaced results with placeholders: the recorded context is smaller by them, and so is the kept one
    /// unless a rule had reduced them before, which then saves that much less from here on.
    fn clear(&mut self, cleared: &Cleared, freed: &Freed, inferred: bool) {
        let kept = self.conversation.clear_results(&cleared.results, &self.basis.counter);
        self.reduced.forget(&self.conversation, &kept);
        let elsewhere = self.stopped.or(self.saved_by.removed);
        for (rule, tokens) in self.saved_by.lose(&freed.results, &kept, elsewhere) {
            self.standing[rule] -= tokens;
        }
        self.trace.clearings.push(Clearing {
            call: self.trace.calls.len(),
            results: freed.results.len(),
            missing: freed.missing,
            estimated: u64::try_from(freed.tokens()).unwrap_or(0),
            stated: cleared.tokens,
            measured: None,
            inferred,
        });
    }

    /// Notes by how much the recorded input fell at the first call after a clearing.
    pub(super) fn measure_clearing(&mut self, usage: Option<u64>) {
        let call = self.trace.calls.len().saturating_sub(1);
        let measured = self.recorded.measured(usage).and_then(|tokens| u64::try_from(tokens).ok());
        // Two clearings before one call cannot be told apart.
        let mut here = self.trace.clearings.iter_mut().rev().take_while(|one| one.call == call);
        if let (Some(one), None) = (here.next().filter(|one| !one.inferred), here.next()) {
            one.measured = measured;
        }
    }
}

/// Which rule reduced each message last, and which removed messages last; kept where the harness clears results.
#[derive(Debug, Default)]
pub(super) struct SavedBy {
    is_kept: bool,
    messages: HashMap<MessageId, usize>,
    removed: Option<usize>,
}

impl SavedBy {
    pub(super) fn of(transcript: &Transcript, clears: bool) -> Self {
        let is_kept = clears || transcript.messages.iter().any(|message| message.cleared().is_some());
        Self { is_kept, ..Self::default() }
    }

    /// Notes a rule's edits.
    pub(super) fn note(&mut self, receipts: &[Receipt], rule: usize) {
        for receipt in receipts.iter().filter(|_| self.is_kept) {
            match receipt.change {
                Change::Summarised(_) => self.removed = Some(rule),
                Change::Reduced(_) => drop(self.messages.insert(receipt.message, rule)),
                Change::Appended => {}
            }
        }
    }

    fn clear(&mut self) {
        self.messages.clear();
        self.removed = None;
    }

    /// For each rule what its edits save no longer, since the harness cleared the same results: what that freed in the
    /// recorded context less what it freed in the kept one. Results that the kept one does not hold count for `elsewhere`.
    fn lose(
        &mut self,
        recorded: &[(SmolStr, i128)],
        kept: &[ClearedResult],
        elsewhere: Option<usize>,
    ) -> Vec<(usize, i128)> {
        let mut open: HashMap<&str, VecDeque<i128>> = HashMap::new();
        for (id, tokens) in recorded {
            open.entry(id).or_default().push_back(*tokens);
        }
        let mut shares = Vec::new();
        for one in kept {
            if let Some(freed) = open.get_mut(one.id.as_str()).and_then(VecDeque::pop_front)
                && let Some(rule) = self.messages.remove(&one.message)
            {
                shares.push((rule, freed - one.freed));
            }
        }
        let rest = open.into_values().flatten().sum();
        shares.extend(elsewhere.map(|rule| (rule, rest)));
        shares
    }
}
