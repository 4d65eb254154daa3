//! Events of the host that a recording contains, and the events that hooks would get.

use super::Replay;
use crate::hook;
use crate::simulate::summariser::Summariser;
use crate::simulate::trace::TracedEvent;
use crate::transcript::{EventMoment, RecordedEvent};

impl Replay<'_> {
    /// Reports the recorded events before a message; those during a call only if `during_call` is set.
    pub(super) fn report_host_events(&mut self, messages: usize, during_call: bool, summariser: &mut dyn Summariser) {
        let comes =
            |next: &RecordedEvent| next.messages <= messages && (during_call || next.moment != EventMoment::DuringCall);
        while self.host_events.front().is_some_and(comes)
            && let Some(recorded) = self.host_events.pop_front()
        {
            if recorded.moment == EventMoment::AfterIteration {
                self.driver.end_iteration();
            }
            self.driver.host_event(recorded.event);
            self.advance(summariser);
        }
    }

    pub(super) fn record_event(&mut self, event: hook::Event) {
        let run = self.driver.run();
        let call = self.trace.calls.len().checked_sub(1);
        self.trace.events.push(TracedEvent { call, run: run.number, iteration: run.iteration, event });
    }
}
