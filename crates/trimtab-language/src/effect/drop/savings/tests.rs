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
enum Change {
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

fn change() -> impl Strategy<Value = Change> {
    let role = prop::sample::select(vec![Role::System, Role::User, Role::Assistant]);
    prop_oneof![
        3 => (role, 1usize..60).prop_map(|(role, length)| Change::Message(role, length)),
        5 => prop::collection::vec(0u8..5, 1..4).prop_map(Change::Calls),
        6 => (0u8..5, 1usize..60).prop_map(|(id, length)| Change::Result(id, length)),
        1 => prop::sample::select(vec![Role::User, Role::Assistant]).prop_map(Change::Injected),
        1 => Just(Change::Abandon),
        1 => (0usize..30).prop_map(Change::Mask),
        1 => (0usize..30, 1usize..8).prop_map(|(first, count)| Change::Remove(first, count)),
        1 => (0usize..30, 1usize..8).prop_map(|(first, count)| Change::Summarise(first, count)),
        1 => Just(Change::Reset),
        2 => Just(Change::Run),
    ]
}

fn make(conversation: &mut Conversation, change: &Change) {
    let removable = |conversation: &Conversation, first: usize, count: usize| -> Vec<MessageId> {
        let end = (first + count).min(conversation.entries().len());
        let removed =
            if first < end { conversation.removable(first..=end - 1, &PinnedMessages::NONE) } else { Vec::new() };
        removed.into_iter().map(|at| conversation.entries()[at].id()).collect()
    };
    match change {
        Change::Message(role, length) => {
            conversation.push(Message::text(*role, "x".repeat(*length)), &Bytes);
        }
        Change::Calls(ids) => {
            let call = |id: &u8| Part::call(id.to_string(), "read", Arguments::from(serde_json::json!({})));
            conversation.push(Message::new(Role::Assistant, ids.iter().map(call).collect()), &Bytes);
        }
        Change::Result(id, length) => {
            let result = Part::result(id.to_string(), "x".repeat(*length), false);
            conversation.push(Message::new(Role::Tool, vec![result]), &Bytes);
        }
        Change::Injected(role) => {
            let message = Message { origin: Origin::Injected, ..Message::text(*role, "injected") };
            conversation.apply(vec![Edit::Append(Box::new(message))], &Bytes);
        }
        Change::Abandon => conversation.abandon_open_calls(&Bytes),
        Change::Mask(at) => {
            let Some(entry) = conversation.entries().get(*at) else { return };
            let Some(Body::ToolResult(mut result)) = entry.message().parts.first().map(|part| part.body.clone()) else {
                return;
            };
            result.text = "-".into();
            let (message, part, body) = (entry.id(), PartId(0), Some(Body::ToolResult(result)));
            conversation.apply(vec![Edit::Reduce { message, part, body, level: Level::Masked, errors: true }], &Bytes);
        }
        Change::Remove(first, count) => {
            let messages = removable(conversation, *first, *count);
            conversation.apply(vec![Edit::Remove { messages }], &Bytes);
        }
        Change::Summarise(first, count) => {
            let messages = removable(conversation, *first, *count);
            let summary = Box::new(Message { origin: Origin::Summary, ..Message::text(Role::User, "s") });
            conversation.apply(vec![Edit::Summarise { messages, summary }], &Bytes);
        }
        Change::Reset => conversation.reset(),
        Change::Run => {
            let newest = conversation.entries().last().filter(|entry| entry.role() == Role::User).map(Entry::id);
            conversation.set_request(newest);
        }
    }
}

proptest! {
    #[test]
    fn savings_that_follow_a_conversation_are_those_of_a_search(
        changes in prop::collection::vec((change(), 0usize..12, prop::option::of(1u64..200)), 0..40),
    ) {
        let (mut conversation, cache) = (Conversation::default(), RemovalCache::default());
        for (change, kept, wanted) in &changes {
            make(&mut conversation, change);
            let boundary = conversation.entries().len().saturating_sub(*kept);
            for pins in PINS {
                let pins = Pins::of(pins).expect("pins that go together");
                let (kind, pinned) = ((pins, Arc::default()), conversation.pinned_messages(pins));
                let found = older::saving(&conversation, boundary, &pinned, *wanted);
                prop_assert_eq!(cache.saving(&conversation, boundary, (kind, &pinned), *wanted), Some(found));
                if wanted.is_none() {
                    prop_assert!(found <= older::saving(&conversation, boundary, &PinnedMessages::NONE, None), "a pin removes more");
                }
            }
        }
    }
}

/// The boundary before which no group spans, found message by message.
fn whole_groups_before(conversation: &Conversation, boundary: usize) -> usize {
    let groups: Vec<_> = conversation.entries().iter().map(Entry::group).collect();
    let spans = |boundary: usize| (0..boundary).find(|at| groups[boundary..].contains(&groups[*at]));
    std::iter::successors(Some(boundary), |boundary| spans(*boundary)).last().unwrap_or(boundary)
}

proptest! {
    #[test]
    fn what_a_conversation_keeps_in_mind_is_what_a_search_finds(changes in prop::collection::vec(change(), 0..40)) {
        let mut conversation = Conversation::default();
        let mut ids = Vec::new();
        for change in &changes {
            make(&mut conversation, change);
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
            prop_assert_eq!(conversation.first_person(), all(&|entry| entry.message().is_person()).first().copied());
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
