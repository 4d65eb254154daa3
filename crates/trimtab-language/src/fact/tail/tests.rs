use std::sync::Arc;

use proptest::prelude::*;
use trimtab_base::conversation::{Arguments, Body, Bytes, Edit, Level, MessageId, Part, PinnedMessages};
use trimtab_base::quantity::Value;

use super::*;
use crate::fact::tools_argument;

/// What happens to a conversation.
#[derive(Clone, Debug)]
enum Event {
    System,
    Person,
    Inject,
    Reply(Vec<u8>),
    /// A result of one of the open calls, counted from the newest, or of none; whether it is an error.
    Result(usize, bool),
    Mask(prop::sample::Index),
    Summarise(prop::sample::Index, prop::sample::Index),
    Reset,
    AbandonCalls,
}

fn event() -> impl Strategy<Value = Event> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        1 => Just(Event::System),
        1 => Just(Event::Person),
        1 => Just(Event::Inject),
        6 => prop::collection::vec(0u8..2, 0..4).prop_map(Event::Reply),
        12 => (0usize..5, prop::bool::weighted(0.8)).prop_map(|(call, error)| Event::Result(call, error)),
        2 => index().prop_map(Event::Mask),
        1 => (index(), index()).prop_map(|(from, to)| Event::Summarise(from, to)),
        1 => Just(Event::Reset),
        2 => Just(Event::AbandonCalls),
    ]
}

struct Generated {
    conversation: Conversation,
    run: RunHistory,
    open: Vec<String>,
    next: usize,
    results: usize,
}

impl Generated {
    fn take(&mut self, event: &Event) {
        let counter = Bytes;
        match event {
            Event::System => {
                let text = "a system message that is longer than most others, or than all ".repeat(5);
                self.conversation.push(Message::text(Role::System, text), &counter);
            }
            Event::Person => drop(self.conversation.push(Message::text(Role::User, "go on"), &counter)),
            Event::Inject => {
                drop(self.conversation.apply(vec![Edit::Append(Box::new(Message::text(Role::User, "x")))], &counter));
            }
            Event::Reply(calls) => {
                let part = |argument: &u8| {
                    let id = format!("c{}", self.next);
                    self.next += 1;
                    self.open.push(id.clone());
                    // The second argument is that of another tool.
                    Part::call(
                        id,
                        if *argument == 0 { "f" } else { "g" },
                        Arguments::Text(format!("{{\"a\": {argument}}}").into()),
                    )
                };
                let parts: Vec<Part> = [Part::text("so")].into_iter().chain(calls.iter().map(part)).collect();
                let reply = Arc::new(Message::new(Role::Assistant, parts));
                if !calls.is_empty() {
                    self.run.replies.push(Arc::clone(&reply));
                }
                self.conversation.push(reply, &counter);
            }
            Event::Result(call, error) => {
                let at = self.open.len().checked_sub(call + 1);
                let id = at.map_or_else(|| "nobody".to_owned(), |at| self.open.remove(at));
                // Every third result has another text.
                self.results += 1;
                let text = if self.results.is_multiple_of(3) {
                    "another long text of a result "
                } else {
                    "a text that can be masked "
                };
                let part = Part::result(id, text.repeat(3), *error);
                self.conversation.push(Message::new(Role::Tool, vec![part]), &counter);
            }
            Event::Mask(at) => self.mask(*at),
            Event::Summarise(from, to) => self.summarise(*from, *to),
            Event::Reset => self.conversation.reset(),
            Event::AbandonCalls => self.conversation.abandon_open_calls(&counter),
        }
    }

    fn id(&self, at: prop::sample::Index) -> Option<MessageId> {
        let entries = self.conversation.entries();
        (!entries.is_empty()).then(|| entries[at.index(entries.len())].id())
    }

    fn mask(&mut self, at: prop::sample::Index) {
        let Some(at) = self.id(at).and_then(|id| self.conversation.index(id)) else { return };
        let entry = &self.conversation.entries()[at];
        let (message, first) = (entry.id(), entry.parts().last().map(|(id, part)| (id, part.body.clone())));
        let Some((part, body)) = first else { return };
        let body = match body {
            Body::ToolResult(mut result) => {
                result.text = "masked".into();
                Body::ToolResult(result)
            }
            Body::ToolCall { id, name, .. } => Body::ToolCall { id, name, arguments: Arguments::Text("".into()) },
            _ => return,
        };
        let edit = Edit::Reduce { message, part, body: Some(body), level: Level::Masked, errors: true };
        drop(self.conversation.apply(vec![edit], &Bytes));
    }

    fn summarise(&mut self, from: prop::sample::Index, to: prop::sample::Index) {
        let count = self.conversation.entries().len();
        if count == 0 {
            return;
        }
        let (a, b) = (from.index(count), to.index(count));
        let removed = self.conversation.removable(a.min(b)..=a.max(b), &PinnedMessages::NONE);
        let messages = removed.into_iter().map(|at| self.conversation.entries()[at].id()).collect();
        let summary = Box::new(Message::text(Role::User, "s"));
        drop(self.conversation.apply(vec![Edit::Summarise { messages, summary }], &Bytes));
    }
}

/// Whether a message counts: no reply, and no result of another tool.
fn counts(entry: &Entry, tools: &[&str]) -> bool {
    let is_other = || entry.tool().is_none_or(|tool| !tools.contains(&tool.as_str()));
    entry.role() != Role::Assistant && !(entry.role() == Role::Tool && !tools.is_empty() && is_other())
}

/// Error results of some tools in a row, read from the end.
fn failures(conversation: &Conversation, tools: &[&str]) -> usize {
    let others = conversation.entries().iter().rev().filter(|entry| counts(entry, tools));
    others.take_while(|entry| entry.message().results().next().is_some_and(|result| result.is_error)).count()
}

/// Turns in a row all of whose results of some tools failed, read from the end.
fn steps(conversation: &Conversation, tools: &[&str]) -> usize {
    let (mut steps, mut group) = (0, None);
    let entries = conversation.entries();
    for entry in entries.iter().rev().filter(|entry| counts(entry, tools)) {
        let Some(result) = entry.message().results().next() else { break };
        if group != Some(entry.group()) {
            let mut results = entries
                .iter()
                .filter(|other| other.group() == entry.group() && counts(other, tools))
                .flat_map(|other| other.message().results());
            if !result.is_error || !results.all(|result| result.is_error) {
                break;
            }
            group = Some(entry.group());
            steps += 1;
        }
    }
    steps
}

/// The different tools among the error results in a row, and how many of the last are alike, read from the end.
fn kinds(conversation: &Conversation, tools: &[&str]) -> (usize, usize) {
    let failed: Vec<&Entry> = conversation.entries().iter().rev().filter(|entry| counts(entry, tools)).collect();
    let kind = |entry: &Entry| {
        let text = entry.recorded().results().next().map(|result| result.text.clone());
        (entry.tool().cloned(), text)
    };
    let failed: Vec<_> = failed[..failures(conversation, tools)].iter().map(|entry| kind(entry)).collect();
    let different: std::collections::HashSet<_> = failed.iter().filter_map(|(tool, _)| tool.clone()).collect();
    (different.len(), failed.iter().take_while(|one| Some(*one) == failed.first()).count())
}

/// Identical calls in a row, read from the end.
fn repeats<'a>(messages: impl Iterator<Item = &'a Message>) -> usize {
    let mut calls = messages.flat_map(|message| message.calls().rev());
    let Some((_, tool, arguments)) = calls.next() else { return 0 };
    1 + calls.take_while(|(_, name, other)| *name == tool && arguments.same(other)).count()
}

/// How many of the newest calls are identical to the newest one, read from the end.
fn occurrences<'a>(messages: impl Iterator<Item = &'a Message>, within: usize) -> usize {
    let calls: Vec<_> = messages.flat_map(|message| message.calls().rev()).take(within).collect();
    let Some((_, tool, arguments)) = calls.first() else { return 0 };
    calls.iter().filter(|(_, name, other)| name == tool && arguments.same(other)).count()
}

/// The results of known calls: where the call is, the call, and the result.
fn answered(conversation: &Conversation) -> Vec<((usize, usize), &SmolStr, &Arguments, &Message)> {
    let entries = conversation.entries();
    let one = |at: usize, entry: &'_ Entry| {
        let reply = entries.iter().position(|other| other.group() == entry.group()).filter(|reply| *reply < at)?;
        let id = &entry.recorded().results().next()?.id;
        let (position, (_, tool, arguments)) =
            entries[reply].recorded().calls().enumerate().find(|(_, (call, ..))| *call == id)?;
        Some(((reply, position), tool, arguments))
    };
    let all = entries.iter().enumerate();
    all.filter_map(|(at, entry)| one(at, entry).map(|(place, tool, call)| (place, tool, call, entry.recorded())))
        .collect()
}

/// How many of the newest results repeat another one of them.
fn repeated(conversation: &Conversation, last: usize) -> Option<usize> {
    let all = answered(conversation);
    let newest = &all[all.len().checked_sub(last)?..];
    let key = |(_, tool, _, message): &(_, &SmolStr, &Arguments, &Message)| {
        message
            .results()
            .next()
            .map(|one| ((*tool).clone(), one.is_error, one.text.chars().take(200).collect::<String>()))
    };
    Some(last - newest.iter().map(key).collect::<std::collections::HashSet<_>>().len())
}

/// The most times that a pattern occurs in a row at the end.
fn cycles(conversation: &Conversation, period: usize, within: usize) -> usize {
    let mut all = answered(conversation);
    all.sort_by_key(|(place, ..)| *place);
    let same = |a: usize, b: usize| {
        let ((_, tool, call, result), (_, other, arguments, message)) = (&all[a], &all[b]);
        let texts = |one: &Message| one.results().next().map(|one| (one.text.clone(), one.is_error));
        tool == other && call.same(arguments) && texts(result) == texts(message)
    };
    let length = all.len().min(within);
    let times = |period: usize| {
        let is_back =
            |times: &usize| (1..=period).all(|at| same(all.len() - at, all.len() - at - (times - 1) * period));
        (1..=length / period).take_while(is_back).count()
    };
    (1..=period).map(times).max().unwrap_or(0)
}

proptest! {
    #[test]
    fn incremental_facts_equal_facts_of_the_whole_conversation(events in prop::collection::vec(event(), 0..60)) {
        let run = RunHistory::default();
        let mut generated = Generated { conversation: Conversation::default(), run, open: Vec::new(), next: 0, results: 0 };
        let cache = TailCache::default();
        for event in &events {
            generated.take(event);
            let (conversation, tail) = (&generated.conversation, cache.newest(&generated.conversation));
            prop_assert_eq!(tail.streak.failures, failures(conversation, &[]), "{:?}", events);
            prop_assert_eq!(tail.streak.steps, steps(conversation, &[]), "{:?}", events);
            prop_assert_eq!((tail.streak.tools, tail.streak.same), kinds(conversation, &[]), "{:?}", events);
            for tools in [&["f"][..], &["f", "g"], &["h"]] {
                let argument = tools_argument(tools.iter().copied());
                let Value::Text(key) = &argument else { unreachable!("a text") };
                let tail = cache.newest_of(conversation, Tools::new(key));
                prop_assert_eq!(tail.streak.failures, failures(conversation, tools), "{:?} {:?}", tools, events);
                prop_assert_eq!(tail.streak.steps, steps(conversation, tools), "{:?} {:?}", tools, events);
                let streak = (tail.streak.tools, tail.streak.same);
                prop_assert_eq!(streak, kinds(conversation, tools), "{:?} {:?}", tools, events);
            }
            let largest = conversation.entries()[conversation.prompt_len()..].iter().map(Entry::tokens).max();
            prop_assert_eq!(cache.largest(conversation), largest.unwrap_or(0), "{:?}", events);
            let recorded = || conversation.entries().iter().rev().map(Entry::recorded);
            prop_assert_eq!(tail.repeats, repeats(recorded()), "{:?}", events);
            prop_assert_eq!(cache.repeats(&generated.run), repeats(generated.run.replies.iter().rev().map(AsRef::as_ref)));
            for within in [1, 2, 3, 5, 100] {
                prop_assert_eq!(cache.occurrences(conversation, within), occurrences(recorded(), within), "{:?}", events);
                let replies = generated.run.replies.iter().rev().map(AsRef::as_ref);
                prop_assert_eq!(cache.run_occurrences(&generated.run, within), occurrences(replies, within));
            }
            for (first, second) in [(1, 1), (2, 4), (3, 100), (5, 20)] {
                prop_assert_eq!(cache.cycles(conversation, first, second), cycles(conversation, first, second), "{:?}", events);
                prop_assert_eq!(cache.repeated_results(conversation, second), repeated(conversation, second), "{:?}", events);
            }
            let call = recorded().find_map(|message| message.calls().next_back());
            prop_assert_eq!(cache.call(conversation).and_then(|message| message.calls().next_back()), call);
            let result = conversation.entries().iter().rev().find_map(|entry| entry.message().results().next_back());
            prop_assert_eq!(cache.result(conversation).and_then(|message| message.results().next_back()), result);
        }
    }
}

#[test]
fn identical_arguments_are_found_in_any_notation() {
    let reply =
        |text: &str| Arc::new(Message::new(Role::Assistant, vec![Part::call("c", "f", Arguments::Text(text.into()))]));
    let occurrences = |texts: &[&str]| {
        let run = RunHistory { replies: texts.iter().map(|text| reply(text)).collect(), ..RunHistory::default() };
        TailCache::default().run_occurrences(&run, 10)
    };
    assert_eq!(occurrences(&[r#"{"a":[1,{"b":2}],"c":"d"}"#, "{}", "x", r#"{ "c":"\u0064", "a":[1,{"b":2}] }"#]), 2);
    assert_eq!(occurrences(&[r#"{"a":0.0}"#, r#"{"a":-0.0}"#, r#"{"a":"0"}"#, r#"{"a":0.0}"#]), 3);
    assert_eq!(occurrences(&["not json", "{", "not json", "[1,2]", "[2,1]", "not json"]), 3);
}

#[test]
fn another_run_starts_its_counts_from_zero() {
    let reply = |at: usize| {
        Arc::new(Message::new(Role::Assistant, vec![Part::call(at.to_string(), "f", Arguments::Text("".into()))]))
    };
    let cache = TailCache::default();
    let mut run = RunHistory { replies: (0..3).map(reply).collect(), ..RunHistory::default() };
    assert_eq!(cache.repeats(&run), 3);
    run.replies.push(reply(3));
    assert_eq!(cache.repeats(&run), 4);
    assert_eq!(cache.repeats(&RunHistory { number: 1, replies: vec![reply(0)], ..RunHistory::default() }), 1);
    assert_eq!(cache.repeats(&RunHistory { number: 2, ..RunHistory::default() }), 0);
}
