//! What a harness does to its own context, in a history that comes from its recording.

use trimtab_base::conversation::Message;

use super::Branch;

impl Branch {
    /// Applies what the harness did before a message, as a replay does. Requests of a client say nothing of it.
    pub(super) fn follow_harness(&mut self, message: &Message) {
        if let Some(cleared) = message.cleared() {
            self.driver.clear_results(&cleared.results);
        }
        if message.resets {
            self.driver.reset(self.current_overhead());
            self.arrived.reset();
        }
    }
}
