//! What a context consists of.

use trimtab_base::conversation::{Counter, Entry, Role};

use super::PartKind;

/// What a context consists of, in tokens. The parts are counted, and all but the first and the last are scaled to the size of
/// the context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Composition {
    /// The system prompt and the schemas of the tools, as far as the recording has them.
    pub system: u64,
    /// Texts, images and tool calls.
    pub messages: u64,
    /// Tool results.
    pub results: u64,
    /// Reasoning of the model.
    pub reasoning: u64,
    /// Summaries of rules.
    pub summaries: u64,
    /// What the recording lacks: messages, and what is sent besides them, such as the system prompt.
    pub unrecorded: u64,
}

impl Composition {
    /// The content of one message. Tokens that belong to no part are those of the reasoning, if it has any, which replies
    /// need not show.
    pub(super) fn of(entry: &Entry, counter: &dyn Counter) -> Self {
        let mut all = Self::default();
        let is_whole = entry.role() == Role::System || entry.is_summary();
        let own = if entry.is_summary() { &mut all.summaries } else { &mut all.system };
        if is_whole {
            *own = entry.tokens();
            return all;
        }
        let mut rest = entry.tokens();
        let mut reasons = false;
        for (id, part) in entry.parts() {
            let tokens = entry.part_tokens(id, counter).min(rest);
            rest -= tokens;
            *match PartKind::of(&part.body) {
                PartKind::Result => &mut all.results,
                PartKind::Reasoning => {
                    reasons = true;
                    &mut all.reasoning
                }
                PartKind::Text | PartKind::Call | PartKind::Image | PartKind::Other => &mut all.messages,
            } += tokens;
        }
        *match (entry.role(), reasons) {
            (Role::Tool, _) => &mut all.results,
            (_, true) => &mut all.reasoning,
            (_, false) => &mut all.messages,
        } += rest;
        all
    }

    /// The sum of two.
    #[must_use]
    pub(super) const fn with(self, other: Self) -> Self {
        Self {
            system: self.system + other.system,
            messages: self.messages + other.messages,
            results: self.results + other.results,
            reasoning: self.reasoning + other.reasoning,
            summaries: self.summaries + other.summaries,
            unrecorded: self.unrecorded + other.unrecorded,
        }
    }

    /// The difference of two.
    #[must_use]
    pub(super) const fn without(self, other: Self) -> Self {
        Self {
            system: self.system.saturating_sub(other.system),
            messages: self.messages.saturating_sub(other.messages),
            results: self.results.saturating_sub(other.results),
            reasoning: self.reasoning.saturating_sub(other.reasoning),
            summaries: self.summaries.saturating_sub(other.summaries),
            unrecorded: self.unrecorded.saturating_sub(other.unrecorded),
        }
    }

    /// The same proportions in a context of this size. The system prompt, the tools and what is not recorded keep their size.
    pub(super) fn scaled_to(self, context: u64) -> Self {
        let unrecorded = self.unrecorded.min(context);
        let context = context - unrecorded;
        let system = self.system.min(context);
        let all = u128::from(self.messages) + u128::from(self.results) + u128::from(self.reasoning);
        let all = (all + u128::from(self.summaries)).max(1);
        let room = context - system;
        let share = |tokens: u64| u64::try_from(u128::from(tokens) * u128::from(room) / all).unwrap_or(room);
        let [results, reasoning, summaries] = [self.results, self.reasoning, self.summaries].map(share);
        let messages = room.saturating_sub(results + reasoning + summaries);
        let is_empty = self.messages == 0 && messages > 0 && results + reasoning + summaries == 0;
        // Nothing that was counted explains the rest of the context.
        if is_empty {
            return Self { system, unrecorded: unrecorded + messages, ..Self::default() };
        }
        Self { system, messages, results, reasoning, summaries, unrecorded }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_scaled_composition_has_the_size_of_the_context(parts in prop::array::uniform6(0u64..1 << 40), context in 0u64..1 << 40) {
            let [system, messages, results, reasoning, summaries, unrecorded] = parts;
            let all = Composition { system, messages, results, reasoning, summaries, unrecorded }.scaled_to(context);
            let Composition { system, messages, results, reasoning, summaries, unrecorded } = all;
            prop_assert_eq!(system + messages + results + reasoning + summaries + unrecorded, context);
        }
    }

    #[test]
    fn the_parts_keep_their_proportions() {
        let counted = Composition { system: 100, messages: 10, results: 30, unrecorded: 50, ..Composition::default() };
        let expected = Composition { messages: 20, results: 60, ..counted };
        assert_eq!(counted.scaled_to(230), expected);
    }

    #[test]
    fn what_nothing_counted_explains_is_not_in_the_recording() {
        let counted = Composition { system: 100, unrecorded: 50, ..Composition::default() };
        assert_eq!(counted.scaled_to(180), Composition { unrecorded: 80, ..counted });
    }
}
