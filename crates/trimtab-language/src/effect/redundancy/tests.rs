use proptest::prelude::*;
use trimtab_base::conversation::{
    Arguments, Body, Bytes, Counter, Edit, Level, Message, MessageId, Part, PartId, PinnedMessages, Role,
};

use super::*;

#[derive(Clone, Debug)]
enum Change {
    /// A call with this tool, path, range and result, which may be an error.
    Call {
        tool: usize,
        path: u8,
        range: u8,
        lines: usize,
        is_error: bool,
    },
    Mask(usize),
    Summarise(usize, usize),
    Reset,
}

fn change() -> impl Strategy<Value = Change> {
    let call = (0usize..2, 0u8..2, 0u8..5, 0usize..4, prop::bool::weighted(0.2));
    prop_oneof![
        12 => call.prop_map(|(tool, path, range, lines, is_error)| Change::Call { tool, path, range, lines, is_error }),
        2 => (0usize..40).prop_map(Change::Mask),
        1 => (1usize..40, 1usize..5).prop_map(|(first, count)| Change::Summarise(first, count)),
        1 => Just(Change::Reset),
    ]
}

fn make(conversation: &mut Conversation, change: &Change) {
    match change {
        Change::Call { tool, path, range, lines, is_error } => {
            let id = format!("c{}", conversation.entries().len());
            let arguments = match range {
                0..3 => serde_json::json!({ "path": path.to_string() }),
                range => serde_json::json!({ "path": path.to_string(), "offset": range, "limit": 2 }),
            };
            let call = Part::call(id.as_str(), ["read", "write"][*tool], Arguments::from(arguments));
            conversation.push(Message::new(Role::Assistant, vec![call]), &Bytes);
            let result = Part::result(id.as_str(), "line and more\n".repeat(lines + 1), *is_error);
            conversation.push(Message::new(Role::Tool, vec![result]), &Bytes);
        }
        Change::Mask(at) => {
            let Some(entry) = conversation.entries().get(*at) else { return };
            let Some(Body::ToolResult(result)) = entry.message().parts.first().map(|part| part.body.clone()) else {
                return;
            };
            let body = Some(Body::ToolResult(Box::new(trimtab_base::conversation::ToolResult {
                text: "x".into(),
                ..*result
            })));
            let (message, part) = (entry.id(), PartId(0));
            conversation.apply(vec![Edit::Reduce { message, part, body, level: Level::Masked, errors: true }], &Bytes);
        }
        Change::Summarise(first, count) => {
            let end = (first + count).min(conversation.entries().len());
            let removed =
                if *first < end { conversation.removable(*first..=end - 1, &PinnedMessages::NONE) } else { Vec::new() };
            let messages: Vec<MessageId> = removed.iter().map(|at| conversation.entries()[*at].id()).collect();
            let summary = Box::new(Message::text(Role::User, "s"));
            conversation.apply(vec![Edit::Summarise { messages, summary }], &Bytes);
        }
        Change::Reset => conversation.reset(),
    }
}

proptest! {
    #[test]
    fn an_index_that_follows_a_conversation_equals_a_new_one(changes in prop::collection::vec(change(), 0..40)) {
        let mut conversation = Conversation::default();
        conversation.push(Message::text(Role::System, "s"), &Bytes);
        let cache = RedundancyCache::default();
        for change in &changes {
            make(&mut conversation, change);
            let end = conversation.entries().len();
            for redundancy in [Redundancy::Duplicates, Redundancy::SupersededReads(FileTools::default())] {
                let all = cache.results(&conversation, &redundancy, (0, 0), end);
                prop_assert_eq!(&all, &RedundancyCache::default().results(&conversation, &redundancy, (0, 0), end));
                let nothing = cache.results(&conversation, &redundancy, (end, end), end);
                prop_assert_eq!(nothing, Vec::new());
            }
        }
    }
}

/// The indices of the superseded reads of a conversation of calls `TOOL FIRST LINES`, where a first line of 0 is a read of
/// the whole file, and `!` marks an error.
fn superseded(calls: &[&str]) -> Vec<usize> {
    let mut conversation = Conversation::default();
    for (at, call) in calls.iter().enumerate() {
        let words: Vec<&str> = call.split(' ').collect();
        let (first, lines): (u64, usize) = (words[1].parse().expect("a number"), words[2].parse().expect("a number"));
        let mut arguments = serde_json::json!({ "path": "a" });
        if first > 0 {
            arguments["offset"] = first.into();
            arguments["limit"] = 10.into();
        }
        let call = Part::call(at.to_string(), words[0], Arguments::from(arguments));
        conversation.push(Message::new(Role::Assistant, vec![call]), &Bytes as &dyn Counter);
        let result = Part::result(at.to_string(), "x\n".repeat(lines), words.len() > 3);
        conversation.push(Message::new(Role::Tool, vec![result]), &Bytes);
    }
    let redundancy = Redundancy::SupersededReads(FileTools::default());
    let found = RedundancyCache::default().results(&conversation, &redundancy, (0, 0), usize::MAX);
    found.into_iter().map(|result| result.at / 2).collect()
}

#[test]
fn a_partial_read_is_superseded_by_what_covers_it() {
    assert_eq!(superseded(&["read 0 50", "read 0 10"]), [0]);
    assert_eq!(superseded(&["read 0 50", "read 5 10"]), [0; 0]);
    assert_eq!(superseded(&["read 5 10", "read 0 50"]), [0]);
    // The tool returned 12 of the lines.
    assert_eq!(superseded(&["read 5 10", "read 0 12"]), [0; 0]);
    assert_eq!(superseded(&["read 5 3", "read 0 12"]), [0]);
    assert_eq!(superseded(&["read 5 10", "read 8 10", "read 5 1"]), [0]);
    assert_eq!(superseded(&["read 5 10", "read 8 10", "write 0 1"]), [0, 1]);
    assert_eq!(superseded(&["read 0 50", "write 0 1 !", "read 0 1 !"]), [0; 0]);
    assert_eq!(superseded(&["read 5 1 !", "read 0 12", "read 5 10"]), [0]);
}
