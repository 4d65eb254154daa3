//! Generated conversations with everything that a recording can contain.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use trimtab::conversation::{Arguments, Body, Message, Part, Role, Usage};
use trimtab::transcript::Transcript;

/// An event of a generated conversation, and the seconds since the previous one; `None` without a timestamp.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    kind: Kind,
    wait: Option<u16>,
}

#[derive(Clone, Debug)]
enum Kind {
    Person {
        text: String,
        image: bool,
        run: Option<bool>,
    },
    Harness(String),
    Reply {
        pieces: Vec<Piece>,
        answers: Vec<Answer>,
        backwards: bool,
        queued: Option<String>,
        usage: Option<u64>,
    },
    Orphan(Answer),
    /// The result of a call of an earlier reply that has none.
    Late(Answer),
    System(String),
    Compacted(String),
}

/// A part of a reply.
#[derive(Clone, Debug)]
enum Piece {
    Thinking(String, bool),
    Text(String),
    Call { tool: usize, argument: u8, form: u8 },
    Image,
    Other,
}

/// The result of a call.
#[derive(Clone, Debug)]
struct Answer {
    text: String,
    is_error: bool,
    images: usize,
}

impl Event {
    /// A user message.
    pub(crate) fn person(text: &str) -> Self {
        Self { kind: Kind::Person { text: text.to_owned(), image: false, run: None }, wait: None }
    }

    /// A tool call with its result.
    pub(crate) fn call(tool: &str) -> Self {
        let tool = TOOLS.iter().position(|known| *known == tool).unwrap_or_default();
        let answers = vec![Answer { text: "done".to_owned(), is_error: false, images: 0 }];
        let pieces = vec![Piece::Call { tool, argument: 0, form: 0 }];
        Self { kind: Kind::Reply { pieces, answers, backwards: false, queued: None, usage: None }, wait: None }
    }
}

const TOOLS: [&str; 4] = ["bash", "read_file", "mcp__web__search", "write_note"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{0,40}",
        // Texts that occur more than once.
        4 => Just("the same lines\nin two results\n".repeat(8)),
        4 => "\\PC{0,60}",
        4 => (1usize..400).prop_map(|length| "wörd 漢字 🦀 ".repeat(length / 8 + 1)),
        1 => Just("As [err-00000] and cod-00001, not _err-00000 says.".to_owned()),
        4 => (1usize..60).prop_map(|length| "fn main() { println!(\"{}\", 1); }\n".repeat(length)),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        3 => (text(), any::<bool>()).prop_map(|(text, signed)| Piece::Thinking(text, signed)),
        3 => text().prop_map(Piece::Text),
        4 => (0..TOOLS.len(), 0u8..3, 0u8..6).prop_map(|(tool, argument, form)| Piece::Call { tool, argument, form }),
        1 => Just(Piece::Image),
        1 => Just(Piece::Other),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let text = prop_oneof![1 => text(), 1 => Just("done".to_owned())];
    (text, prop::bool::weighted(0.3), prop_oneof![4 => Just(0usize), 1 => 1usize..3])
        .prop_map(|(text, is_error, images)| Answer { text, is_error, images })
}

fn reply() -> impl Strategy<Value = Kind> {
    let usage = prop_oneof![3 => (1u64..2000).prop_map(Some), 1 => Just(None)];
    let answers = prop::collection::vec(answer(), 0..5);
    // What a person writes while the calls run.
    let queued = prop::option::weighted(0.1, text());
    (prop::collection::vec(piece(), 0..6), answers, any::<bool>(), queued, usage).prop_map(
        |(pieces, answers, backwards, queued, usage)| Kind::Reply { pieces, answers, backwards, queued, usage },
    )
}

fn kind() -> impl Strategy<Value = Kind> {
    let run = prop_oneof![8 => Just(None), 1 => any::<bool>().prop_map(Some)];
    prop_oneof![
        3 => (text(), prop::bool::weighted(0.2), run).prop_map(|(text, image, run)| Kind::Person { text, image, run }),
        1 => text().prop_map(Kind::Harness),
        10 => reply(),
        1 => answer().prop_map(Kind::Orphan),
        1 => answer().prop_map(Kind::Late),
        1 => text().prop_map(Kind::System),
        1 => text().prop_map(Kind::Compacted),
    ]
}

pub(crate) fn events() -> impl Strategy<Value = Vec<Event>> {
    let wait = prop_oneof![2 => (0u16..900).prop_map(Some), 1 => Just(None)];
    prop::collection::vec((kind(), wait).prop_map(|(kind, wait)| Event { kind, wait }), 0..40)
}

/// The events as a transcript: parallel calls, orphaned results, calls without results, several runs.
pub(crate) fn transcript(events: &[Event]) -> Transcript {
    let mut messages: Vec<Message> = vec![Message::text(Role::System, "You are a test.")];
    let (mut size, mut clock) = (100, 0u64);
    for (at, Event { kind, wait }) in events.iter().enumerate() {
        let first = messages.len();
        write(kind, at, &mut size, &mut messages);
        if let Some(wait) = wait {
            for message in &mut messages[first..] {
                clock += u64::from(*wait);
                let (hours, minutes, seconds) = (clock / 3600, clock / 60 % 60, clock % 60);
                message.at =
                    Some(format!("2026-01-{:02}T{:02}:{minutes:02}:{seconds:02}Z", 1 + hours / 24, hours % 24).into());
            }
        }
    }
    let messages = messages.into_iter().map(Arc::new).collect();
    Transcript { id: "made".to_owned(), format: "made", window: Some(3000), messages, ..Transcript::default() }
}

fn write(kind: &Kind, at: usize, size: &mut u64, messages: &mut Vec<Message>) {
    match kind {
        Kind::Person { text, image, run } => {
            let mut message = Message::text(Role::User, text.as_str());
            message.parts.extend(image.then(|| Part::new(picture())));
            message.run = *run;
            messages.push(message);
        }
        Kind::System(text) => messages.push(Message::text(Role::System, text.as_str())),
        Kind::Harness(text) | Kind::Compacted(text) => {
            let mut message = Message::text(Role::User, text.as_str());
            message.harness = true;
            message.resets = matches!(kind, Kind::Compacted(_));
            messages.push(message);
        }
        Kind::Orphan(answer) => messages.push(result("nobody".to_owned(), answer)),
        Kind::Late(answer) => {
            let id = unanswered(messages).unwrap_or_else(|| "nobody".to_owned());
            messages.push(result(id, answer));
        }
        Kind::Reply { pieces, answers, backwards, queued, usage } => {
            let parts: Vec<Part> = pieces.iter().enumerate().map(|(place, one)| part(one, at, place)).collect();
            let mut reply = Message::new(Role::Assistant, parts);
            reply.usage = usage.map(|used| {
                *size += used;
                Usage {
                    input: *size / 3,
                    cache_read: *size / 3,
                    cache_write: *size - *size / 3 * 2,
                    output: used / 4,
                    ..Usage::default()
                }
            });
            let ids: Vec<String> = reply.calls().map(|(id, ..)| id.to_string()).collect();
            messages.push(reply);
            let mut results: Vec<Message> =
                ids.into_iter().zip(answers).map(|(id, answer)| result(id, answer)).collect();
            if *backwards {
                results.reverse();
            }
            if let Some(text) = queued {
                results.insert(results.len() / 2, Message::text(Role::User, text.as_str()));
            }
            messages.append(&mut results);
        }
    }
}

/// The first call without a result.
fn unanswered(messages: &[Message]) -> Option<String> {
    let answered: Vec<&str> = messages.iter().flat_map(Message::results).map(|result| &*result.id).collect();
    let mut calls = messages.iter().flat_map(Message::calls).map(|(id, ..)| id);
    calls.find(|id| !answered.contains(&id.as_str())).map(ToString::to_string)
}

fn part(piece: &Piece, at: usize, place: usize) -> Part {
    match piece {
        Piece::Thinking(text, signed) => {
            Part::new(Body::Thinking { text: text.as_str().into(), signature: signed.then(|| "s".into()) })
        }
        Piece::Text(text) => Part::text(text.as_str()),
        Piece::Call { tool, argument, form } => {
            let arguments = match form {
                0 => Arguments::Text(format!("{{\"path\":\"{argument}\"}}").into()),
                1 => {
                    Arguments::Text(format!("{{ \"path\": \"{argument}\", \"long\": \"{}\" }}", "é".repeat(200)).into())
                }
                2 => Arguments::from(json!({ "path": argument.to_string() })),
                3 => Arguments::from(json!({ "path": "0", "offset": 4 * argument, "limit": 6 })),
                4 => Arguments::from(json!({ "path": "0", "offset": argument, "limit": 4 + 4 * argument })),
                _ => Arguments::Text(format!("not JSON {argument} {}", "目录 µSv/h ".repeat(20)).into()),
            };
            Part::call(format!("c{at}_{place}"), TOOLS[*tool], arguments)
        }
        Piece::Image => Part::new(picture()),
        Piece::Other => Part::new(Body::Other(Box::new(json!({ "type": "citation", "of": [1, 2] })))),
    }
}

fn picture() -> Body {
    Body::Image { media_type: "image/png".into(), bytes: 3000, size: None }
}

fn result(id: String, answer: &Answer) -> Message {
    let mut part = Part::result(id, answer.text.as_str(), answer.is_error);
    if let Body::ToolResult(result) = &mut part.body {
        result.attachments.extend((0..answer.images).map(|_| picture()));
    }
    Message::new(Role::Tool, vec![part])
}

/// A conversation with empty messages, which begins with a system message.
pub(crate) fn with_empty_system_message() -> Vec<Event> {
    let thinking = || Piece::Thinking(String::new(), false);
    let call = || Piece::Call { tool: 0, argument: 0, form: 0 };
    let answer = |text: &str| Answer { text: text.to_owned(), is_error: false, images: 0 };
    let event = |kind| Event { kind, wait: Some(0) };
    let reply = |pieces: Vec<Piece>, answers: Vec<Answer>, queued: Option<&str>| {
        let queued = queued.map(str::to_owned);
        event(Kind::Reply { pieces, answers, backwards: false, queued, usage: Some(1) })
    };
    vec![
        event(Kind::System(String::new())),
        reply(vec![thinking(), call()], vec![answer("")], None),
        reply(vec![thinking(), call(), thinking()], vec![answer(" ")], Some("")),
        reply(vec![thinking(), thinking(), thinking()], vec![], None),
        reply(vec![call()], vec![answer("")], None),
        event(Kind::Person { text: String::new(), image: false, run: None }),
        event(Kind::Orphan(answer(""))),
        reply(vec![], vec![], None),
        reply(vec![], vec![], None),
    ]
}
