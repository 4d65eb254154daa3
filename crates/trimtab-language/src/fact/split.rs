//! The parts of what would be sent: the system prompt, what is sent besides messages, and the rest.

use trimtab_base::conversation::{Conversation, Views};
use trimtab_base::quantity::{Decimal, Value};

use super::moment::Moment;

/// The parts of a context in tokens. Their sum is the size of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextSplit {
    /// The system prompt: the leading system messages, and what rules add to them.
    pub persona: u64,
    /// What is sent besides messages: schemas of the offered tools, and a system prompt that a recording does not hold.
    pub tools: u64,
    /// Everything else.
    pub history: u64,
}

impl ContextSplit {
    /// The parts of a context of `tokens`; with all tools, `overhead` tokens are sent besides messages. Where the provider
    /// counts less than the token counter, the history is reduced first, then the persona.
    pub fn of(conversation: &Conversation, views: &Views, tokens: u64, overhead: u64) -> Self {
        let tools = overhead.saturating_sub(views.size(conversation).hidden_tools).min(tokens);
        let persona = views.prompt_tokens(conversation).min(tokens - tools);
        Self { persona, tools, history: tokens - tools - persona }
    }

    /// The parts of what would be sent at a moment.
    pub fn at(moment: &Moment<'_>) -> Self {
        Self::of(moment.conversation, moment.views, moment.tokens, moment.overhead)
    }

    /// The size of the context in tokens.
    pub const fn total(&self) -> u64 {
        self.persona + self.tools + self.history
    }
}

/// The share that a part of the context has in all of it. An empty context has no parts: the share is 0.
pub(super) fn share(moment: &Moment<'_>, part: impl Fn(&ContextSplit) -> u64) -> Value {
    let split = ContextSplit::at(moment);
    let share = Decimal::from(part(&split)).checked_div(Decimal::from(split.total()));
    Value::Number(share.unwrap_or(Decimal::ZERO))
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::{Bytes, Lifetime, Message, NameFilter, Role, View};

    use super::*;

    fn split(tokens: u64, overhead: u64) -> [u64; 3] {
        let mut conversation = Conversation::default();
        for (role, text) in [(Role::System, "12345678"), (Role::User, "1234"), (Role::System, "late")] {
            conversation.push(Message::text(role, text), &Bytes);
        }
        let ContextSplit { persona, tools, history } =
            ContextSplit::of(&conversation, &Views::default(), tokens, overhead);
        assert_eq!(persona + tools + history, tokens);
        [persona, tools, history]
    }

    #[test]
    fn only_leading_system_messages_are_the_persona() {
        let [persona, tools, history] = split(100, 30);
        assert_eq!((tools, history), (30, 70 - persona));
        assert!(persona >= 8);
    }

    #[test]
    fn views_change_the_prompt_and_the_tools_that_are_sent() {
        let mut conversation = Conversation::default();
        conversation.push(Message::text(Role::System, "12345678"), &Bytes);
        let mut views = Views::default();
        let split = |views: &Views| ContextSplit::of(&conversation, views, 1000, 30);
        let before = split(&views);
        let hidden = NameFilter { hidden: vec!["bash".into()], ..NameFilter::default() };
        views.add(View::Tools(hidden), Lifetime::Request);
        views.add(View::Variable("mode".into(), "plan".into()), Lifetime::Request);
        let schemas = [("bash", 20), ("read", 5)].map(|(name, tokens)| (name.into(), tokens)).into();
        views.count(&conversation, &Bytes, (&["bash".into(), "read".into()].into(), &schemas));
        let after = split(&views);
        assert_eq!((before.tools, after.tools), (30, 10));
        assert!(after.persona > before.persona + "plan".len() as u64, "{after:?}");
        assert_eq!(after.total(), 1000);
    }

    #[test]
    fn the_parts_are_never_larger_than_the_context() {
        assert_eq!(split(0, 0), [0, 0, 0]);
        assert_eq!(split(5, 30), [0, 5, 0]);
        assert_eq!(split(33, 30), [3, 30, 0]);
    }
}
