//! What effects need not look at again: a memory that saves time and changes nothing.

use std::collections::HashMap;

use crate::check::Action;
use crate::conversation::{Conversation, Mark};
use crate::effect::Arguments;
use crate::source::Span;

/// For each action of a plan, where its last search came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Searches(HashMap<Span, Search>);

/// What an effect has found out with these arguments at a moment of a conversation.
#[derive(Clone, Debug)]
struct Search {
    effect: &'static str,
    arguments: Arguments,
    mark: Mark,
    settled: usize,
}

impl Searches {
    /// How many of the first messages an action has found nothing in, with the same arguments and unchanged since.
    pub(super) fn settled(&self, action: &Action, arguments: &Arguments, conversation: &Conversation) -> usize {
        let known = self.0.get(&action.span);
        let same = known.filter(|known| known.effect == action.effect.name && known.arguments == *arguments);
        same.map_or(0, |known| known.settled.min(conversation.unchanged_since(&known.mark)))
    }

    /// Notes where an action's search came to; `mark` is the moment before its edits.
    pub(super) fn note(&mut self, action: &Action, arguments: Arguments, mark: Mark, settled: usize) {
        if settled > 0 {
            self.0.insert(action.span, Search { effect: action.effect.name, arguments, mark, settled });
        } else {
            self.0.remove(&action.span);
        }
    }
}
