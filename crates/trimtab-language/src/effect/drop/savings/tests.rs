use proptest::prelude::*;
use trimtab_base::conversation::{
    Arguments, Body, Bytes, Edit, Entry, Level, Message, MessageId, Origin, Part, PartId, Pin, PinnedMessages,
};

use super::*;
use crate::effect::drop::older;

const PINS: [&[Pin]; 7] = [
    &[Pin::Nothing],
    &[Pin::Request],
    &[Pin::FirstUser],
    &[Pin::Users],
    &[Pin::NewestUsers(2)],
    &[Pin::UsersWithin(60)],
    &[Pin::FirstMessages(3), Pin::FirstUser],
];

#[derive(Clone, Debug)]
enum Step {
    /// A message of this role.
    Message(Role, usize),
    /// A reply with calls of these ids.
    Calls(Vec<u8>),
    /// The result of a call with this id.
    Result(u8, usize),
    /// A message of a rule.
    Injected(Role),
    Abandon,
    Mask(usize),
    Remove(usize, usize),
    Summarise(usize, usize),
    Reset,
    /// The newest message began a run.
    Run,
}

fn step() -> impl Strategy<Value = Step> {
    let role = prop::sample::select(vec![Role::System, Role::User, Role::Assistant]);
    prop_oneof![
        3 => (role, 1usize..60).prop_map(|(role, length)| Step::Message(role, length)),
        5 => prop::collection::vec(0u8..5, 1..4).prop_map(Step::Calls),
        6 => (0u8..5, 1usize..60).prop_map(|(id, length)| Step::Result(id, length)),
        1 => prop::sample::select(vec![Role::User, Role::Assistant]).prop_map(Step::Injected),
        1 => Just(Step::Abandon),
        1 => (0usize..30).prop_map(Step::Mask),
        1 => (0usize..30, 1usize..8).prop_map(|(first, count)| Step::Remove(first, count)),
        1 => (0usize..30, 1usize..8).prop_map(|(first, count)| Step::Summarise(first, count)),
        1 => Just(Step::Reset),
        2 => Just(Step::Run),
    ]
}

fn apply_step(conversation: &mut Conversation, step: &Step) {
    let removable = |conversation: &Conversation, first: usize, count: usize| -> Vec<MessageId> {
        let end = (first + count).min(conversation.entries().len());
        let removed =
            if first < end { conversation.removable(first..=end - 1, &PinnedMessages::NONE) } else { Vec::new() };
        removed.into_iter().map(|at| conversation.entries()[at].id()).collect()
    };
    match step {
        Step::Message(role, length) => {
            conversation.push(Message::text(*role, "x".repeat(*length)), &Bytes);
        }
        Step::Calls(ids) => {
            let call = |id: &u8| Part::call(id.to_string(), "read", Arguments::from(serde_json::json!({})));
            conversation.push(Message::new(Role::Assistant, ids.iter().map(call).collect()), &Bytes);
        }
        Step::Result(id, length) => {
            let result = Part::result(id.to_string(), "x".repeat(*length), false);
            conversation.push(Message::new(Role::Tool, vec![result]), &Bytes);
        }
        Step::Injected(role) => {
            let message = Message { origin: Origin::Injected, ..Message::text(*role, "injected") };
            conversation.apply(vec![Edit::Append(Box::new(message))], &Bytes);
        }
        Step::Abandon => conversation.abandon_open_calls(&Bytes),
        Step::Mask(at) => {
            let Some(entry) = conversation.entries().get(*at) else { return };
            let Some(Body::ToolResult(mut result)) = entry.message().parts.first().map(|part| part.body.clone()) else {
                return;
            };
            result.text = "-".into();
            let (message, part, body) = (entry.id(), PartId(0), Some(Body::ToolResult(result)));
            conversation.apply(vec![Edit::Reduce { message, part, body, level: Level::Masked, errors: true }], &Bytes);
        }
        Step::Remove(first, count) => {
            let messages = removable(conversation, *first, *count);
            conversation.apply(vec![Edit::Remove { messages }], &Bytes);
        }
        Step::Summarise(first, count) => {
            let messages = removable(conversation, *first, *count);
            let summary = Box::new(Message { origin: Origin::Summary, ..Message::text(Role::User, "s") });
            conversation.apply(vec![Edit::Summarise { messages, summary }], &Bytes);
        }
        Step::Reset => conversation.reset(),
        Step::Run => {
            let newest = conversation.entries().last().filter(|entry| entry.role() == Role::User).map(Entry::id);
            conversation.set_request(newest);
        }
    }
}

proptest! {
    #[test]
    fn cached_savings_match_a_full_search(
        steps in prop::collection::vec((step(), 0usize..12, prop::option::of(1u64..200)), 0..40),
    ) {
        let (mut conversation, cache) = (Conversation::default(), RemovalCache::default());
        for (step, kept, wanted) in &steps {
            apply_step(&mut conversation, step);
            let boundary = conversation.entries().len().saturating_sub(*kept);
            for pins in PINS {
                let pins = Pins::of(pins).expect("pins that go together");
                let (kind, pinned) = ((pins, Arc::default()), conversation.pinned_messages(pins));
                let found = older::saving(&conversation, boundary, &pinned, *wanted);
                prop_assert_eq!(cache.saving(&conversation, boundary, (kind, &pinned), *wanted), Some(found));
                if wanted.is_none() {
                    let unpinned = older::saving(&conversation, boundary, &PinnedMessages::NONE, None);
                    prop_assert!(found <= unpinned, "pins must not increase the saving");
                }
            }
        }
    }
}

/// The largest boundary, at most this one, that splits no group, found message by message.
fn whole_groups_before(conversation: &Conversation, boundary: usize) -> usize {
    let groups: Vec<_> = conversation.entries().iter().map(Entry::group).collect();
    let spans = |boundary: usize| (0..boundary).find(|at| groups[boundary..].contains(&groups[*at]));
    std::iter::successors(Some(boundary), |boundary| spans(*boundary)).last().unwrap_or(boundary)
}

proptest! {
    #[test]
    fn cached_indices_match_a_full_search(steps in prop::collection::vec(step(), 0..40)) {
        let mut conversation = Conversation::default();
        let mut ids = Vec::new();
        for step in &steps {
            apply_step(&mut conversation, step);
            let entries = conversation.entries();
            ids.extend(entries.last().map(Entry::id));
            for id in &ids {
                prop_assert_eq!(conversation.index(*id), entries.iter().position(|entry| entry.id() == *id));
            }
            let all = |is_it: &dyn Fn(&Entry) -> bool| -> Vec<usize> {
                (0..entries.len()).filter(|at| is_it(&entries[*at])).collect()
            };
            prop_assert_eq!(conversation.summaries(), all(&|entry| entry.is_summary()));
            prop_assert_eq!(conversation.results(), all(&|entry| entry.role() == Role::Tool).len());
            prop_assert_eq!(conversation.first_person_message(), all(&|entry| entry.message().is_person()).first().copied());
            let prompt = &entries[..conversation.prompt_len()];
            prop_assert!(prompt.iter().all(|entry| entry.role() == Role::System));
            prop_assert_eq!(conversation.prompt_tokens(), prompt.iter().map(Entry::tokens).sum::<u64>());
            for boundary in 0..=entries.len() {
                let whole = whole_groups_before(&conversation, boundary);
                prop_assert_eq!(conversation.whole_groups_before(boundary), whole);
            }
        }
    }
}
