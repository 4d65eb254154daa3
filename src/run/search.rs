//! What effects need not look at again: a memory that saves time and changes nothing.

use std::collections::HashMap;

use crate::check::Action;
use crate::conversation::{Conversation, Mark};
use crate::effect::{Arguments, Searched};
use crate::source::Span;

/// How many searches of one action are remembered: one for each length of its texts, such as a number of one digit, of
/// two, of three.
const KEPT: usize = 16;

/// For each action of a plan, where its last searches came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Searches(HashMap<Span, Vec<Search>>);

/// What an effect has found out with these arguments at a moment of a conversation.
#[derive(Clone, Debug)]
struct Search {
    effect: &'static str,
    arguments: Arguments,
    mark: Mark,
    searched: Searched,
}

impl Search {
    /// What still holds of it for an action with these arguments.
    fn for_now(&self, action: &Action, arguments: &Arguments, conversation: &Conversation) -> Searched {
        // A longer text shrinks no part that a shorter one did not.
        if self.effect != action.effect.name || !arguments.is_as_long_as(&self.arguments) {
            return Searched::default();
        }
        let unchanged = conversation.unchanged_since(&self.mark);
        let settled = self.searched.settled.min(unchanged);
        if self.searched.gated <= unchanged && self.arguments == *arguments {
            return Searched { settled, ..self.searched };
        }
        Searched { settled, ..Searched::default() }
    }
}

impl Searches {
    /// What an action has found out about the first messages that are unchanged since.
    pub(super) fn known(&self, action: &Action, arguments: &Arguments, conversation: &Conversation) -> Searched {
        let all = self.0.get(&action.span).into_iter().flatten();
        let known = all.map(|search| search.for_now(action, arguments, conversation));
        known.max_by_key(|known| (known.settled, known.gated)).unwrap_or_default()
    }

    /// Notes where an action's search came to; `mark` is the moment before its edits.
    pub(super) fn note(&mut self, action: &Action, arguments: Arguments, mark: Mark, searched: Searched) {
        let all = self.0.entry(action.span).or_default();
        let is_same = |search: &Search| {
            search.effect == action.effect.name
                && arguments.is_as_long_as(&search.arguments)
                && search.arguments.is_as_long_as(&arguments)
        };
        all.retain(|search| !is_same(search));
        if searched != Searched::default() {
            if all.len() == KEPT {
                all.remove(0);
            }
            all.push(Search { effect: action.effect.name, arguments, mark, searched });
        }
    }
}
