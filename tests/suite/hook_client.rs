//! Laws of hooks: what a hook makes of each result along a growing session is what a live session and a simulation make of it.

use std::sync::Arc;

use proptest::prelude::*;
use smol_str::SmolStr;
use trimtab::conversation::{Arguments, Body, Counter, Message, Part, Role};
use trimtab::hook_client::{Arrival, ChangedResult, SessionSource, change_result, hook_plan, may_change};
use trimtab::model::TokenCounter;
use trimtab::plan::Plan;
use trimtab::run::{Declared, Resolution, Session};
use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::Transcript;

use crate::{generated, laws};

/// Policies whose effects on results are effects on new ones.
fn policies() -> impl Strategy<Value = String> {
    let on_arrivals =
        |text: String| text.replace("mask results", "mask arrivals").replace("trim results", "trim arrivals");
    generated::policy().prop_map(on_arrivals).prop_filter("it changes results", |text| {
        trimtab::pipeline::compile("made.trim", text).checked.is_some()
            && !hook_plan(&laws::plan(text)).rules.is_empty()
    })
}

/// A session as clients record it: each result is a text.
fn recorded(events: &[generated::Event]) -> Transcript {
    let mut transcript = generated::transcript(events);
    for message in &mut transcript.messages {
        for part in &mut Arc::make_mut(message).parts {
            if let Body::ToolResult(result) = &mut part.body {
                result.attachments.clear();
            }
        }
    }
    transcript
}

/// The event of a result, if a hook gets one.
fn arrival(messages: &[Arc<Message>], at: usize) -> Option<Arrival> {
    let result = messages[at].results().next()?;
    let mut calls = messages[..at].iter().rev().flat_map(|message| message.calls());
    let (id, tool, arguments) = calls.find(|(id, ..)| **id == result.id)?;
    Some(Arrival {
        session: "s".to_owned(),
        agent: None,
        source: SessionSource::File(String::new()),
        call: Some(id.clone()),
        tool: tool.clone(),
        arguments: arguments.json().into_owned(),
        text: result.text.to_string(),
        is_error: result.is_error,
    })
}

/// Whether no other message comes before the call that the result is sent with.
fn is_sent_next(messages: &[Arc<Message>], at: usize) -> bool {
    messages.get(at + 1).is_none_or(|next| next.is_reply())
}

/// The session that a client stores while a hook changes its results, and what the hook made of each result that it got.
fn hooked(plan: &Arc<Plan>, transcript: &Transcript) -> Vec<Option<String>> {
    let mut stored = Transcript { messages: Vec::new(), ..transcript.clone() };
    let (mut earlier, mut texts) = (Vec::new(), Vec::new());
    for (at, message) in transcript.messages.iter().enumerate() {
        let mut message = Arc::clone(message);
        let mut text = None;
        if let Some(arrival) = arrival(&transcript.messages, at) {
            text = Some(arrival.text.clone());
            if let Some(changed) = change_result(plan, &stored, &arrival, &earlier, message.at.as_deref()) {
                assert!(may_change(plan, &arrival.text), "{} was changed", arrival.text);
                // A client may add to the text, and record it as a failure.
                let part = Part::result(arrival.call.clone().unwrap(), format!("1: {changed}"), true);
                message = Arc::new(Message { at: message.at.clone(), ..Message::new(Role::Tool, vec![part]) });
                let Arrival { call, text: original, is_error, .. } = arrival;
                earlier.push(ChangedResult {
                    plan: plan.hash.clone(),
                    call,
                    original,
                    changed: changed.clone(),
                    is_error,
                });
                text = Some(changed);
            }
        }
        texts.push(text);
        stored.messages.push(message);
    }
    texts
}

/// The texts of results as a live session sends them that has seen them as they arrived.
fn live(plan: &Arc<Plan>, transcript: &Transcript) -> Vec<Option<String>> {
    let model = transcript.messages.iter().find_map(|message| message.model.as_deref());
    let resolution = Resolution::of(plan, &Declared { window: transcript.window, model, ..Declared::default() });
    let factor =
        resolution.model.as_deref().map_or(trimtab::quantity::Decimal::ONE, |id| resolution.models().factor(id));
    let counter: Arc<dyn Counter> = Arc::new(TokenCounter::scaled(factor));
    let overhead = plan.agent.overhead.unwrap_or(0);
    let mut session = Session::new(Arc::clone(plan), resolution.environment(counter), overhead);
    let messages = &transcript.messages;
    let sent = |at: usize| {
        arrival(messages, at)?;
        if !is_sent_next(messages, at) {
            return None;
        }
        let _ = session.before_request(&messages[..=at], None);
        let id = session.history_ids().last().flatten()?;
        let conversation = session.conversation();
        let entry = &conversation.entries()[conversation.index(id)?];
        Some(entry.message().results().next()?.text.to_string())
    };
    (0..messages.len()).map(sent).collect()
}

/// The texts of results in the contexts of a simulation of the session as it arrived.
fn simulated(plan: &Plan, transcript: &Transcript) -> Vec<Option<String>> {
    let messages = &transcript.messages;
    let done = Arc::new(Message::text(Role::Assistant, "Done."));
    let whole = Transcript { messages: messages.iter().cloned().chain([done]).collect(), ..transcript.clone() };
    let replies: Vec<usize> = (0..whole.messages.len()).filter(|at| whole.messages[*at].is_reply()).collect();
    let mut texts = vec![None; messages.len()];
    replay(plan, &whole, &Options::default(), &mut FailingSummariser, &mut |sent| {
        let Some(at) = replies[sent.call].checked_sub(1) else { return };
        let Some(id) = messages[at].results().next().map(|result| result.id.clone()) else { return };
        let sent = sent.messages();
        let result = sent.iter().rev().flat_map(|message| message.results()).find(|result| result.id == id);
        texts[at] = result.map(|result| result.text.to_string());
    });
    texts
}

proptest! {
    #![proptest_config(generated::cases(300))]

    #[test]
    fn a_hook_changes_results_as_a_live_session_does(events in generated::events(), policy in policies()) {
        let plan = Arc::new(hook_plan(&laws::plan(&policy)));
        let transcript = recorded(&events);
        let (hooked, live) = (hooked(&plan, &transcript), live(&plan, &transcript));
        for (at, live) in live.iter().enumerate().filter(|(_, live)| live.is_some()) {
            prop_assert_eq!(&hooked[at], live, "message {} under {}", at, &policy);
        }
    }

    #[test]
    fn a_hook_changes_results_as_a_simulation_of_the_session_does(events in generated::events(), policy in policies()) {
        // A simulation fits its counter to the usage of the whole session, and knows costs, which a session in use does not.
        prop_assume!(!policy.contains(".cost"));
        let plan = Arc::new(hook_plan(&laws::plan(&policy)));
        let mut transcript = recorded(&events);
        let mut now = None;
        for message in &mut transcript.messages {
            let message = Arc::make_mut(message);
            message.usage = None;
            // The call comes with its newest message, since a simulation has its time from the reply.
            if message.is_reply() {
                message.at.clone_from(&now);
            }
            now = message.at.clone().or(now);
        }
        let (hooked, simulated) = (hooked(&plan, &transcript), simulated(&plan, &transcript));
        for at in (0..transcript.messages.len()).filter(|at| is_sent_next(&transcript.messages, *at)) {
            if let (Some(hooked), Some(simulated)) = (&hooked[at], &simulated[at]) {
                prop_assert_eq!(hooked, simulated, "message {} under {}", at, &policy);
            }
        }
    }
}

/// A session in which a tool was called a number of times, each with a result of this many characters.
fn session(calls: usize, chars: usize) -> Transcript {
    let mut messages = vec![Message::text(Role::User, "Go.")];
    for call in 0..calls {
        let id = SmolStr::new(format!("c{call}"));
        let arguments = Arguments::from(serde_json::json!({ "n": call }));
        messages.push(Message::new(Role::Assistant, vec![Part::call(id.clone(), "bash", arguments)]));
        messages.push(Message::new(Role::Tool, vec![Part::result(id, "x".repeat(chars), false)]));
    }
    Transcript { messages: messages.into_iter().map(Arc::new).collect(), ..Transcript::default() }
}

fn changed(policy: &str, transcript: &Transcript) -> Vec<bool> {
    let text = format!("edition 2026\npolicy p {{ rule r {{ {policy} }} }}\n");
    let plan = Arc::new(hook_plan(&laws::plan(&text)));
    let texts = hooked(&plan, transcript).into_iter().flatten();
    texts.map(|text| text.chars().any(|c| c != 'x')).collect()
}

#[test]
fn guards_count_what_the_hook_has_done_before() {
    let transcript = session(5, 300);
    assert_eq!(changed("do trim arrivals to 40 chars", &transcript), [true; 5]);
    assert_eq!(changed("once do trim arrivals to 40 chars", &transcript), [true, false, false, false, false]);
    assert_eq!(changed("limit 2 do trim arrivals to 40 chars", &transcript), [true, true, false, false, false]);
    let every = changed("cooldown 2 iterations do trim arrivals to 40 chars", &transcript);
    assert_eq!(every, [true, false, true, false, true]);
}

#[test]
fn conditions_read_the_session_so_far() {
    let transcript = session(5, 300);
    let third = changed("when context.results >= 3 do mask arrivals", &transcript);
    assert_eq!(third, [false, false, true, true, true]);
}
