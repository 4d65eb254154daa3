//! What is known of a model call before its reply, and the model that calls have.

use std::borrow::Borrow;

use smol_str::SmolStr;
use trimtab_base::conversation::{RECALL_TOOL, Recall};
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Requested;

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
            self.state.set_priced_from_next_call(self.environment.prices.is_some());
        }
    }

    /// Records what the next requests name besides their messages. The tool that a session adds stays.
    pub fn requested(&mut self, requested: &Requested) {
        requested.model.iter().for_each(|model| self.choose_model(model));
        let Some(tools) = &requested.tools else { return };
        let environment = &mut self.environment;
        let adds_tool = self.plan.borrow().offloads() && environment.recall == Recall::Tool;
        let is_added = |name: &SmolStr| name == RECALL_TOOL && adds_tool;
        environment.tools.retain(|name| is_added(name));
        environment.tool_tokens.retain(|name, _| is_added(name));
        environment.tools.extend(tools.keys().cloned());
        environment.tool_tokens.extend(tools.iter().filter_map(|(name, tokens)| Some((name.clone(), (*tokens)?))));
    }

    /// Runs the phases before a model call, of which this is known.
    pub fn begin_call(&mut self, start: CallStart) {
        self.start = start;
        self.tasks.extend([Task::EndIteration, Task::BeginIteration]);
        self.tasks.extend(Phase::BEFORE_CALL.map(Task::Phase));
    }
}
