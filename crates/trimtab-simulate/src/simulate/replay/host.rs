//! Events and facts of the host that a recording contains, and the events that hooks would get.

use smol_str::SmolStr;
use trimtab_base::hook;
use trimtab_recordings::transcript::{EventMoment, RecordedEvent, Reported};

use super::Replay;
use crate::simulate::summariser::Summariser;
use crate::simulate::trace::TracedEvent;

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
            match recorded.event {
                Reported::Event(event) => {
                    self.driver.host_event(event);
                    self.advance(summariser);
                }
                Reported::Fact { name, value } => {
                    self.advance(summariser);
                    self.supply(&name, value.as_deref());
                }
                Reported::Requested(requested) => {
                    self.advance(summariser);
                    self.driver.requested(&requested);
                }
            }
        }
    }

    /// Supplies the values that hold for the whole replay.
    pub(super) fn supply_constants(&mut self) {
        for (name, value) in &self.options.facts {
            self.driver.supply(name, Some(value.clone()));
        }
    }

    /// Supplies a recorded value if the plan declares the fact with a type that has it.
    fn supply(&mut self, name: &SmolStr, value: Option<&str>) {
        if self.options.facts.contains_key(name) {
            return;
        }
        if let Some(fact) = self.driver.plan().agent.fact(name) {
            let value = value.and_then(|text| fact.parse(text)).or_else(|| fact.default.clone());
            self.driver.supply(name, value);
        }
    }

    pub(super) fn record_event(&mut self, event: hook::Event) {
        let run = self.driver.run();
        let call = self.trace.calls.len().checked_sub(1);
        self.trace.events.push(TracedEvent { call, run: run.number, iteration: run.iteration, event });
    }
}
