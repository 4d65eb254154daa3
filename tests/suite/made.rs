//! Conversations and policies made by chance, for laws.

use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Arguments, Body, Message, Part, Role, Usage};
use trimtab::transcript::Transcript;

/// A step of a made conversation.
#[derive(Clone, Debug)]
pub(crate) enum Beat {
    Person(String),
    Harness(String),
    Reply { text: String, thinking: bool, calls: Vec<(usize, u8)>, answered: usize, usage: u64 },
    Orphan(String, bool),
    System(String),
    Compacted(String),
}

const TOOLS: [&str; 4] = ["bash", "read_file", "mcp__web__search", "write_note"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,40}",
        "\\PC{0,60}",
        (1usize..400).prop_map(|length| "wörd 漢字 🦀 ".repeat(length / 8 + 1)),
        (1usize..60).prop_map(|length| "fn main() { println!(\"{}\", 1); }\n".repeat(length)),
    ]
}

fn beat() -> impl Strategy<Value = Beat> {
    let calls = prop::collection::vec((0..TOOLS.len(), 0u8..3), 0..4);
    prop_oneof![
        3 => text().prop_map(Beat::Person),
        1 => text().prop_map(Beat::Harness),
        10 => (text(), any::<bool>(), calls, 0usize..5, 0u64..2000)
            .prop_map(|(text, thinking, calls, answered, usage)| Beat::Reply { text, thinking, calls, answered, usage }),
        1 => (text(), any::<bool>()).prop_map(|(text, error)| Beat::Orphan(text, error)),
        1 => text().prop_map(Beat::System),
        1 => text().prop_map(Beat::Compacted),
    ]
}

pub(crate) fn beats() -> impl Strategy<Value = Vec<Beat>> {
    prop::collection::vec(beat(), 0..40)
}

/// Writes the beats out as a transcript: parallel calls, orphans, calls without results, several runs.
pub(crate) fn transcript(beats: &[Beat]) -> Transcript {
    let mut messages: Vec<Message> = vec![Message::text(Role::System, "You are a test.")];
    let mut size = 100;
    for (at, beat) in beats.iter().enumerate() {
        match beat {
            Beat::Person(text) => messages.push(Message::text(Role::User, text.as_str())),
            Beat::System(text) => messages.push(Message::text(Role::System, text.as_str())),
            Beat::Harness(text) | Beat::Compacted(text) => {
                let mut message = Message::text(Role::User, text.as_str());
                message.harness = true;
                message.resets = matches!(beat, Beat::Compacted(_));
                messages.push(message);
            }
            Beat::Orphan(text, error) => {
                messages.push(Message::new(Role::Tool, vec![Part::result("nobody", text.as_str(), *error)]));
            }
            Beat::Reply { text, thinking, calls, answered, usage } => {
                size += usage;
                let mut parts = Vec::new();
                if *thinking {
                    parts.push(Part::new(Body::Thinking { text: text.as_str().into(), signature: Some("s".into()) }));
                }
                parts.push(Part::text(text.as_str()));
                for (call, (tool, argument)) in calls.iter().enumerate() {
                    let arguments = Arguments::Text(format!("{{\"path\":\"{argument}\"}}").into());
                    parts.push(Part::call(format!("c{at}_{call}"), TOOLS[*tool], arguments));
                }
                let mut reply = Message::new(Role::Assistant, parts);
                if usage % 5 != 0 {
                    reply.usage = Some(Usage { input: size, cache_read: 0, cache_write: 0, output: usage / 4 });
                }
                messages.push(reply);
                for (call, (_, argument)) in calls.iter().enumerate().take(*answered) {
                    let part = Part::result(format!("c{at}_{call}"), text.as_str(), *argument == 2);
                    messages.push(Message::new(Role::Tool, vec![part]));
                }
            }
        }
    }
    let messages = messages.into_iter().map(Arc::new).collect();
    Transcript { id: "made".to_owned(), format: "made", window: Some(3000), messages, ..Transcript::default() }
}

fn keep() -> impl Strategy<Value = String> {
    (0u8..12, prop_oneof![Just("messages"), Just("results"), Just("interactions")])
        .prop_map(|(count, unit)| format!("keep {count} {unit}"))
}

fn options() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        Just(String::new()),
        Just(" including errors".to_owned()),
        Just(" except [bash, mcp__*]".to_owned()),
        Just(" only [read_file]".to_owned()),
        (1u8..99).prop_map(|share| format!(" down_to {share}%")),
        (1u16..500).prop_map(|tokens| format!(" at_least {tokens} tokens")),
    ];
    (keep(), one).prop_map(|(keep, one)| keep + &one)
}

fn effect() -> impl Strategy<Value = (&'static str, String)> {
    let request = Just("request");
    let both = || prop_oneof![Just("request"), Just("reply")];
    prop_oneof![
        (both(), prop_oneof![Just("results"), Just("calls"), Just("thinking")], options(), 0u8..90)
            .prop_map(|(on, target, rest, preview)| (on, format!("mask {target} {rest} preview {preview} chars"))),
        (both(), 0u16..600, prop_oneof![Just("head"), Just("tail"), Just("middle")], options())
            .prop_map(|(on, to, from, rest)| (on, format!("trim results to {to} chars from {from} {rest}"))),
        (both(), 0u16..90, options()).prop_map(|(on, to, rest)| (on, format!("trim results to {to} tokens {rest}"))),
        (request, 0u8..12, 0u8..12, 0u16..400, any::<bool>()).prop_map(|(on, recent, medium, trim, pin)| {
            let pin = if pin { " pin first_user" } else { "" };
            (on, format!("slide recent {recent} messages medium {medium} messages trim {trim} chars{pin}"))
        }),
        (both(), keep(), any::<bool>()).prop_map(|(on, keep, pin)| {
            (on, format!("summarise older {keep}{}", if pin { " pin first_user" } else { "" }))
        }),
        request.prop_map(|on| (on, "summarise all at_most 60 tokens".to_owned())),
        (both(), prop_oneof![Just("user"), Just("system"), Just("assistant")], any::<bool>()).prop_map(
            |(on, role, step)| (
                on,
                format!("inject \"at {{context.tokens}}\" as {role}{}", if step { " for step" } else { "" })
            )
        ),
        both().prop_map(|on| (on, "notify \"{iteration}\"".to_owned())),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        (0u8..150).prop_map(|share| format!("when context.ratio >= {share}%")),
        (0u8..6).prop_map(|count| format!("when failures >= {count} or repeats(within: 5 calls) >= 2")),
        (0u8..90).prop_map(|share| format!("when known(reported.ratio) and reported.ratio >= {share}%")),
        Just("when iteration > 0 unless context.results < 2".to_owned()),
    ]
}

fn guard() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => Just("once".to_owned()),
        1 => Just("once per context.messages".to_owned()),
        1 => Just("cooldown 2 iterations limit 3".to_owned()),
        1 => Just("every 2 iterations".to_owned()),
        1 => Just("until context.ratio < 20%".to_owned()),
        1 => Just("once until context.ratio < 20%".to_owned()),
    ]
}

/// The text of a policy of one to five rules.
pub(crate) fn policy() -> impl Strategy<Value = String> {
    let rule = (effect(), condition(), guard());
    prop::collection::vec(rule, 1..6).prop_map(|rules| {
        let mut text = "edition 2026\npolicy made {\n".to_owned();
        for (at, ((on, effect), condition, guard)) in rules.iter().enumerate() {
            text += &format!("  rule r{at} {{ on {on} {condition} do {effect} {guard} }}\n");
        }
        text + "}\n"
    })
}
