//! Inputs that a branch passes to its driver and adds to its log.

use std::sync::Arc;

use trimtab_base::conversation::{Message, Usage};
use trimtab_base::quantity::Decimal;
use trimtab_recordings::transcript::EventMoment;

use super::{Branch, CallState, Record};
use crate::run::driver::CallStart;

impl Branch {
    /// Passes the next input to the driver and adds it to the log.
    pub(super) fn feed(&mut self, record: Record) {
        let at = self.log.len();
        match &record {
            Record::Message(message) => {
                self.history[self.messages_fed].record = Some(at);
                self.messages_fed += 1;
                self.follow_harness(message);
                if message.is_reply() { self.reply(message) } else { self.driver.input(message) }
            }
            Record::Call => {
                self.driver.begin_call(CallStart::default());
                self.call = CallState::Open;
                self.calls += 1;
            }
            Record::EndIteration => self.driver.end_iteration(),
            Record::Compacted(_) => {}
            Record::Host(event) => {
                self.moments.insert(at, self.moment());
                self.driver.host_event(event.clone());
            }
            Record::Fact(name, value) => {
                self.moments.insert(at, self.moment());
                self.driver.supply(name, value.clone());
            }
            Record::Requested(requested) => {
                self.moments.insert(at, self.moment());
                self.driver.requested(requested);
            }
            Record::Answer(_) => return,
        }
        self.log.push(record);
    }

    /// The moment of an event that the host reports now.
    fn moment(&self) -> EventMoment {
        match self.call {
            CallState::Open => EventMoment::DuringCall,
            CallState::Closed if self.driver.awaits_iteration_end() => EventMoment::Any,
            CallState::Closed => EventMoment::AfterIteration,
        }
    }

    fn reply(&mut self, reply: &Arc<Message>) {
        // The reply names the model that was called.
        reply.model.iter().for_each(|model| self.driver.choose_model(model));
        let counted = self.driver.request_size();
        self.measure_request();
        self.call = CallState::Closed;
        let (estimated, overhead) = (self.driver.request_tokens(), self.current_overhead());
        let reported = reply.usage.map(Usage::context).filter(|context| *context > 0);
        if let Some(reported) = reported {
            // A replay does the same: it knows of a request only what is recorded.
            self.overhead.add(counted.net(), reported);
        }
        // Usage below the overhead does not measure the context.
        let tokens = reported.filter(|reported| *reported >= overhead).unwrap_or(estimated);
        self.driver.reply(reply, tokens, self.driver.environment().call_spending(reply, tokens));
        if counted.net() != self.arrived.get() {
            self.sent.insert(self.log.len(), counted.net());
        }
    }

    /// Records the size of the open call's request. What the host reports during the call may have changed it.
    fn measure_request(&mut self) {
        if self.call == CallState::Open {
            self.driver.record_request(self.current_overhead(), None);
        }
    }

    pub(super) fn current_overhead(&self) -> u64 {
        self.overhead.get(Decimal::ONE).unwrap_or(self.declared_overhead)
    }
}
