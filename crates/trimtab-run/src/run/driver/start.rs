//! What is known of a model call before its reply, and the model that calls have.

use std::borrow::Borrow;

use smol_str::SmolStr;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;

use super::{Driver, Task};

/// What is known of a model call before its reply.
#[derive(Clone, Debug, Default)]
pub struct CallStart {
    /// Its time as RFC 3339; without it, the call counts as made with the newest message.
    pub at: Option<SmolStr>,
    /// Its model; without it, the call has that of the one before.
    pub model: Option<SmolStr>,
}

impl<P: Borrow<Plan>> Driver<P> {
    /// Makes this the model of the call whose reply is about to be added and of the next ones, unless a model was chosen for the
    /// session.
    pub fn choose_model(&mut self, id: &SmolStr) {
        if self.environment.choose_model(id) {
            self.state.choose_priced(self.environment.prices.is_some());
        }
    }

    /// Runs the phases before a model call, of which this is known.
    pub fn begin_call(&mut self, start: CallStart) {
        self.start = start;
        self.tasks.extend([Task::EndIteration, Task::BeginIteration]);
        self.tasks.extend(Phase::BEFORE_CALL.map(Task::Phase));
    }
}
