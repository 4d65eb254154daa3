//! Each test makes a change that differs from what its edits say, which `apply` would never do.

use std::slice::from_ref;

use super::*;
use crate::conversation::Bytes;
use crate::conversation::arguments::Arguments;
use crate::conversation::edit::PartId;
use crate::conversation::message::{Body, Level, Message, Origin, Part, Role};

fn thinking(text: &str) -> Part {
    Part::new(Body::Thinking { text: text.into(), signature: None })
}

/// A system prompt, a question, a reply of several parts with its result, and an answer.
fn conversation() -> Conversation {
    let mut conversation = Conversation::default();
    let call = Part::call("c", "ls", Arguments::Text("{}".into()));
    let reply = vec![thinking("first thought"), Part::text("a text"), thinking("second thought"), call];
    for message in [
        Message::text(Role::System, "prompt"),
        Message::text(Role::User, "a question"),
        Message::new(Role::Assistant, reply),
        Message::new(Role::Tool, vec![Part::result("c", "a long failure", true)]),
        Message::text(Role::Assistant, "an answer"),
    ] {
        conversation.push(message, &Bytes);
    }
    conversation
}

fn reduce(message: u32, part: u32, body: Option<Body>) -> Edit {
    Edit::Reduce { message: MessageId(message), part: PartId(part), body, level: Level::Masked, errors: false }
}

/// The violations found when the conversation is changed by `act` instead of by the edits.
fn found(edits: &[Edit], act: impl FnOnce(&mut Conversation)) -> Vec<&'static str> {
    let mut conversation = conversation();
    let check = InvariantCheck::before(&conversation, edits);
    act(&mut conversation);
    conversation.recount(0, 0);
    check.after(&conversation).iter().map(|violation| violation.invariant.word()).collect()
}

fn drop_part(conversation: &mut Conversation, at: usize, part: usize) {
    conversation.entries[at].set_part(part, None, Level::Masked, 0);
}

#[test]
fn applying_edits_exactly_breaks_no_invariant() {
    let edits = [reduce(2, 0, None), reduce(2, 2, None)];
    assert!(found(&edits, |_| {}).is_empty());
    assert!(found(&edits, |conversation| drop(conversation.apply(edits.to_vec(), &Bytes))).is_empty());
}

#[test]
fn a_part_that_no_edit_names_must_stay() {
    // The stale index: the second thinking part is third, and fourth is the call.
    let stale = |conversation: &mut Conversation| {
        drop_part(conversation, 2, 0);
        drop_part(conversation, 2, 2);
    };
    assert_eq!(found(&[reduce(2, 0, None), reduce(2, 2, None)], stale), ["untouched"]);
}

#[test]
fn a_part_must_become_what_its_edit_says() {
    let body = Some(Body::Text("x".into()));
    let other = |conversation: &mut Conversation| {
        conversation.entries[2].set_part(1, Some(Body::Text("y".into())), Level::Masked, 1);
    };
    assert_eq!(found(&[reduce(2, 1, body.clone())], other), ["stated"]);
    assert_eq!(found(&[reduce(2, 1, body)], |conversation| drop_part(conversation, 2, 1)), ["stated"]);
}

#[test]
fn errors_stay_and_texts_get_shorter() {
    let longer = Body::Text("a longer text".into());
    let edit = [reduce(2, 1, Some(longer.clone()))];
    let act = |conversation: &mut Conversation| conversation.entries[2].set_part(1, Some(longer), Level::Masked, 1);
    assert_eq!(found(&edit, act), ["shorter"]);
    let cut = Part::result("c", "cut", true).body;
    let act = |conversation: &mut Conversation| {
        conversation.entries[3].set_part(0, Some(Part::result("c", "cut", true).body), Level::Masked, 1);
    };
    assert_eq!(found(&[reduce(3, 0, Some(cut))], act), ["errors"]);
}

#[test]
fn thinking_of_the_open_loop_stays() {
    let mut conversation = conversation();
    conversation.entries.truncate(4);
    conversation.recount(0, 0);
    let check = InvariantCheck::before(&conversation, &[reduce(2, 0, None)]);
    drop_part(&mut conversation, 2, 0);
    assert_eq!(
        check.after(&conversation).iter().map(|violation| violation.invariant.word()).collect::<Vec<_>>(),
        ["thinking"]
    );
}

#[test]
fn a_summary_replaces_the_messages_that_it_names() {
    let mut message = Message::text(Role::User, "s");
    message.origin = Origin::RunningSummary;
    let messages = [1, 2, 3].map(MessageId).to_vec();
    let edit = Edit::Summarise { messages, summary: Box::new(message.clone()) };
    assert!(found(from_ref(&edit), |conversation| drop(conversation.apply(vec![edit.clone()], &Bytes))).is_empty());
    let remove = |at: usize| move |conversation: &mut Conversation| drop(conversation.entries.remove(at));
    assert_eq!(found(from_ref(&edit), remove(0)), ["system_prompt"]);
    assert_eq!(found(from_ref(&edit), remove(4)), ["untouched"]);
    assert_eq!(found(from_ref(&edit), remove(3)), ["pairs"]);
    let twice = |conversation: &mut Conversation| {
        conversation.push(message.clone(), &Bytes);
        conversation.push(message, &Bytes);
    };
    assert_eq!(found(from_ref(&edit), twice), ["untouched", "running_summary"]);
}

#[test]
fn content_edits_move_no_message() {
    assert_eq!(found(&[reduce(2, 0, None)], |conversation| drop(conversation.entries.pop())), ["untouched"]);
}

#[test]
fn a_call_without_a_result_stays_with_the_results_of_its_reply() {
    let call = |id: &str| Part::call(id, "ls", Arguments::Text("{}".into()));
    let found = |answered: &[&str]| {
        let mut conversation = Conversation::default();
        conversation.push(Message::text(Role::User, "a question"), &Bytes);
        conversation.push(Message::new(Role::Assistant, vec![call("a"), call("b")]), &Bytes);
        for id in answered {
            conversation.push(Message::new(Role::Tool, vec![Part::result(*id, "done", false)]), &Bytes);
        }
        let messages = conversation.entries.iter().skip(1).map(|entry| entry.id).collect();
        let check = InvariantCheck::before(&conversation, &[Edit::Remove { messages }]);
        conversation.entries.truncate(1);
        conversation.recount(0, 0);
        check.after(&conversation).iter().map(|violation| violation.invariant.word()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["a"]), ["pairs", "pairs"]);
    assert!(found(&["a", "b"]).is_empty());
}
