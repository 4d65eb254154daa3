//! What every request must be, whatever a policy does: the invariants of the language page, checked on the messages that are
//! sent and not on edits, since views leave messages out without an edit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use smol_str::SmolStr;
use trimtab::conversation::{Arguments, Body, Message, Origin, Part, Role};
use trimtab::simulate::{ConstantSummariser, Options, replay};
use trimtab::transcript::Transcript;

use crate::{generated, laws};

/// The ids of the results in a message.
fn answered(message: &Message) -> impl Iterator<Item = &SmolStr> {
    message.parts.iter().filter_map(|part| match &part.body {
        Body::ToolResult(result) => Some(&result.id),
        _ => None,
    })
}

fn thinking(message: &Message) -> Vec<&Body> {
    message.parts.iter().map(|part| &part.body).filter(|body| matches!(body, Body::Thinking { .. })).collect()
}

/// The message that began the current run, unless the harness has removed it.
fn request_of_run(arrived: &[Arc<Message>]) -> Option<&Arc<Message>> {
    let (mut request, mut is_known, mut is_free, mut has_called) = (None, false, true, false);
    for message in arrived {
        if message.resets {
            request = None;
        }
        if message.is_reply() {
            (has_called, is_free) = (true, message.calls().next().is_none());
            continue;
        }
        if has_called && message.run.unwrap_or(message.is_person() && is_free) {
            (request, is_known) = (None, false);
        }
        if !is_known && message.role == Role::User && (message.is_person() || message.run == Some(true)) {
            (request, is_known) = (Some(message), true);
        }
        is_free &= !(message.is_person() || message.role == Role::Tool);
    }
    request
}

/// Whether something that does not belong there is among these messages between a call and its result: what a rule has
/// injected, unless the model has replied meanwhile, or anything if nothing stood there when they arrived.
fn is_apart(sent: &[Arc<Message>], arrived: &[Arc<Message>]) -> bool {
    let is_other = |message: &Arc<Message>| message.role != Role::Tool;
    let was_apart = arrived.iter().any(is_other);
    let is_late = arrived.iter().any(|message| message.is_reply());
    sent.iter().any(|one| is_other(one) && (!was_apart || one.origin == Origin::Injected && !is_late))
}

/// What stood between a call and its result when they arrived, such as what a person had queued.
fn between<'a>(arrived: &'a [Arc<Message>], id: &SmolStr) -> &'a [Arc<Message>] {
    let result = arrived.iter().rposition(|message| answered(message).any(|other| other == id));
    let call = |end: usize| arrived[..end].iter().rposition(|message| message.calls().any(|(other, ..)| other == id));
    let places = result.and_then(|result| Some((call(result)?, result)));
    places.map_or(&[], |(call, result)| &arrived[call + 1..result])
}

/// What is wrong with a request, if the messages before it arrived in this order.
fn faults(sent: &[Arc<Message>], arrived: &[Arc<Message>], hides_sections: bool) -> Vec<String> {
    let mut faults = Vec::new();
    // A compaction of the harness may have removed the call of a result that comes late.
    let since = arrived.iter().rposition(|message| message.resets).unwrap_or(0);
    let known: BTreeSet<&SmolStr> =
        arrived[since..].iter().flat_map(|message| message.calls().map(|(id, ..)| id)).collect();
    let results: BTreeSet<&SmolStr> = arrived.iter().flat_map(|message| answered(message)).collect();
    let mut calls: BTreeMap<&SmolStr, usize> = BTreeMap::new();
    for (at, message) in sent.iter().enumerate() {
        calls.extend(message.calls().map(|(id, ..)| (id, at)));
        for id in answered(message).filter(|id| known.contains(id)) {
            match calls.get(id) {
                None => faults.push(format!("the result {id} has no call before it")),
                Some(call) if is_apart(&sent[call + 1..at], between(arrived, id)) => {
                    faults.push(format!("something stands between the call {id} and its result"));
                }
                Some(_) => {}
            }
        }
    }
    let kept: BTreeSet<&SmolStr> = sent.iter().flat_map(|message| answered(message)).collect();
    faults.extend(
        calls
            .keys()
            .filter(|id| results.contains(*id) && !kept.contains(*id))
            .map(|id| format!("the result of {id} is missing")),
    );

    // The tool loop is open from the last message of a person, or the last reply that calls nothing.
    let ends = |message: &Arc<Message>| {
        message.role == Role::User || message.role == Role::Assistant && message.calls().next().is_none()
    };
    let open = &arrived[arrived.iter().rposition(ends).map_or(0, |at| at + 1)..];
    for reply in open.iter().filter(|message| message.role == Role::Assistant) {
        let is_same =
            |one: &&Arc<Message>| one.calls().next().map(|(id, ..)| id) == reply.calls().next().map(|(id, ..)| id);
        let Some(kept) = sent.iter().find(is_same) else { continue };
        if thinking(kept) != thinking(reply) {
            faults.push("the thinking of the open tool loop is not what it was".to_owned());
        }
    }

    let since = arrived.iter().rposition(|message| message.resets);
    let of_system = |message: &&Arc<Message>| message.role == Role::System && message.origin == Origin::Recorded;
    if since.is_none() && !hides_sections {
        let (before, after) = (arrived.iter().filter(of_system).count(), sent.iter().filter(of_system).count());
        if before != after {
            faults.push(format!("{after} of {before} system messages are sent"));
        }
    }
    let first = |messages: &[Arc<Message>]| messages.iter().map(|one| one.role).find(|role| *role != Role::System);
    if first(&arrived[since.unwrap_or(0)..]) == Some(Role::User) && first(sent) != Some(Role::User) {
        faults.push(format!("the first message after the prompt is of {:?}", first(sent)));
    }
    faults
}

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn requests_are_complete_under_every_policy(
        events in generated::events(), policy in generated::policy(), window in any::<bool>(), pinned in any::<bool>()
    ) {
        // Windows are rare among generated effects, and leave out the most.
        let policy = if window { policy.replace("policy made {", "policy made {\n  rule w { do retain last 1 interaction }") } else { policy };
        let policy = if pinned { policy.replace("pin none", "pin request") } else { policy };
        let transcript = generated::transcript(&events);
        let replies: Vec<usize> = (0..transcript.messages.len()).filter(|at| transcript.messages[*at].role == Role::Assistant).collect();
        let mut found = Vec::new();
        let mut summariser = ConstantSummariser("short {n}".to_owned());
        let trace = replay(&laws::plan(&policy), &transcript, &Options::default(), &mut summariser, &mut |sent| {
            let arrived = &transcript.messages[..replies[sent.call]];
            let messages = sent.messages();
            found.extend(faults(&messages, arrived, policy.contains(" systems ")).into_iter().map(|fault| (sent.call, fault)));
            let request = request_of_run(arrived).filter(|_| !policy.contains("pin none"));
            if request.is_some_and(|request| !messages.iter().any(|message| message.parts == request.parts)) {
                found.push((sent.call, "the request of the run is missing".to_owned()));
            }
        });
        // The rest of a run that a rule has stopped does not arrive.
        let stopped = trace.stops().next().map_or(usize::MAX, |(call, ..)| call);
        found.retain(|(call, _)| *call <= stopped);
        prop_assert!(found.is_empty(), "{policy}\n{found:#?}");
    }
}

#[test]
fn the_newest_result_of_a_tool_is_sent_beside_the_last_interactions() {
    let mut messages = Vec::new();
    for (at, tool) in ["todo_write", "bash", "todo_write", "bash", "bash"].into_iter().enumerate() {
        let id = format!("c{at}");
        messages.push(Message::text(Role::User, format!("question {at}")));
        messages.push(Message::new(Role::Assistant, vec![Part::call(id.as_str(), tool, Arguments::Text("{}".into()))]));
        messages.push(Message::new(Role::Tool, vec![Part::result(id.as_str(), format!("result {at}"), false)]));
        messages.push(Message::text(Role::Assistant, format!("answer {at}")));
    }
    let messages = messages.into_iter().map(Arc::new).collect();
    let recording = Transcript { id: "made".to_owned(), format: "made", messages, ..Transcript::default() };
    let last = |rule: &str| {
        let plan = laws::plan(&format!("edition 2026\npolicy p {{ rule r {{ do {rule} }} }}"));
        let mut sent = Vec::new();
        let mut summariser = ConstantSummariser(String::new());
        let trace = replay(&plan, &recording, &Options::default(), &mut summariser, &mut |request| {
            sent = request.messages().iter().map(|message| render_text(message)).collect::<Vec<_>>();
        });
        assert!(trace.invariants.broken.is_empty());
        sent.join("|")
    };
    let end = "question 4|bash|result 4";
    assert_eq!(last("retain last 1 interaction"), end);
    let kept = "question 2|todo_write|result 2";
    assert_eq!(last("retain last 1 interaction keep_latest [todo_*]"), format!("{kept}|{end}"));
    assert_eq!(last("retain last 1 interaction keep_latest [bash]"), end, "it is among the last ones");
    assert_eq!(
        last("retain last 1 interaction pin first_user keep_latest [todo_write]"),
        format!("question 0|{kept}|{end}")
    );
}

/// The texts of a message, or the tools that it calls.
fn render_text(message: &Message) -> String {
    let calls = message.calls().map(|(_, tool, _)| tool.to_string());
    let results = message.results().map(|result| result.text.to_string());
    calls.chain(results).chain([message.plain_text()]).find(|text| !text.is_empty()).unwrap_or_default()
}
