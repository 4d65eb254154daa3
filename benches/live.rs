//! The step of a live session: a conversation of 200,000 tokens under 50 rules grows by one turn, and is resent as a whole.
//!
//! Besides the mean, the step has a tail that matters to an agent, so each step is timed and percentiles are printed.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "the bench times each step and prints a table")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trimtab::conversation::{Arguments, Body, Counter as _, Message, Part, Role};
use trimtab::pipeline;
use trimtab::plan::lower;
use trimtab::request::Dialect;
use trimtab::run::{Environment, Next, Session};
use trimtab::{Host, PreparedRequest};

/// Turns of about 500 tokens each, so that the conversation has 200,000.
const TURNS: usize = 400;
/// Turns that are timed, per session.
const STEPS: usize = 100;
/// Sessions, so that there are enough samples for the last percentile.
const SESSIONS: usize = 20;

/// Conditions and effects as in the policies of the project. The window decides which of them fire.
const RULES: &[&str] = &[
    "on request when context.ratio >= 60% do mask results keep 10 messages preview 80 chars down_to 35% at_least 4k tokens",
    "on request when context.ratio >= 80% do summarise older keep 20 messages at_most 2k tokens cooldown 5 iterations",
    "when repeats(within: 8 calls) >= 3 do inject \"You have made {repeats} identical calls.\" as user once per repeats",
    "when failures >= 2 do inject \"The last {failures} results were errors.\" as user once per failures",
    "when failures.total >= 12 do stop \"{failures.total} tool calls have failed\"",
    "when (budget.cost ?? $0) >= $200 or budget.calls >= 80000 do stop \"the budget is used up\"",
    "on reply when context.tokens > 900k tokens do trim results to 1500 chars from tail keep 6 results",
    "on request when context.interactions > 4 and context.ratio >= 70% do mask thinking keep 2 interactions",
    "on request when context.messages > 100000 do mask images keep 0 messages",
    "when iteration > 100000 or context.results > 90000 do notify \"a long session\"",
];

/// A policy of 50 rules in a window of this many tokens.
fn policy(window: u64) -> String {
    let mut text = format!("edition 2026\nagent {{ window {window} tokens }}\npolicy p {{\n");
    for at in 0..50 {
        writeln!(text, "  rule r{at} {{ {} }}", RULES[at % RULES.len()]).expect("a string");
    }
    text + "}\n"
}

/// The messages of a turn: a reply with a call, and its result.
fn turn(at: usize) -> [Arc<Message>; 2] {
    let text = format!("Step {at}: I read the next file and compare it with the one before, then I decide.");
    let call = Body::ToolCall {
        id: format!("call_{at}").into(),
        name: "read_file".into(),
        arguments: Arguments::from(serde_json::json!({ "path": format!("src/module_{at}.rs") })),
    };
    let reply = Message::new(Role::Assistant, vec![Part::new(Body::Text(text.into())), Part::new(call)]);
    let line = format!("    let value_{at} = compute(\"some text\", {at}); // and so on\n");
    let result = Message::new(Role::Tool, vec![Part::result(format!("call_{at}"), line.repeat(21), false)]);
    [Arc::new(reply), Arc::new(result)]
}

fn messages(turns: usize) -> Vec<Arc<Message>> {
    let task = Arc::new(Message::text(Role::User, "Review all modules."));
    std::iter::once(task).chain((0..turns).flat_map(turn)).collect()
}

/// The same conversation as the body of a request.
fn body(dialect: Dialect, messages: &[Arc<Message>]) -> String {
    let mut elements: Vec<serde_json::Value> = Vec::new();
    for message in messages {
        let call = message.calls().next();
        let result = message.results().next();
        let text = message.plain_text();
        elements.extend(match (dialect, call, result) {
            (Dialect::OpenAiResponses, Some((id, name, arguments)), _) => vec![
                serde_json::json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
                serde_json::json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments.text()}),
            ],
            (Dialect::OpenAiResponses, _, Some(result)) => {
                vec![serde_json::json!({"type": "function_call_output", "call_id": result.id, "output": &*result.text})]
            }
            (Dialect::OpenAiChat, Some((id, name, arguments)), _) => vec![
                serde_json::json!({"role": "assistant", "content": text, "tool_calls": [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments.text()}}]}),
            ],
            (Dialect::OpenAiChat, _, Some(result)) => {
                vec![serde_json::json!({"role": "tool", "tool_call_id": result.id, "content": &*result.text})]
            }
            (_, Some((id, name, arguments)), _) => vec![
                serde_json::json!({"role": "assistant", "content": [{"type": "text", "text": text}, {"type": "tool_use", "id": id, "name": name, "input": arguments.parsed()}]}),
            ],
            (_, _, Some(result)) => vec![
                serde_json::json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": result.id, "content": &*result.text}]}),
            ],
            _ => vec![serde_json::json!({"role": "user", "content": text})],
        });
    }
    let key = if dialect == Dialect::OpenAiResponses { "input" } else { "messages" };
    serde_json::json!({"model": "m", "stream": true, key: elements, "temperature": 1.0}).to_string()
}

/// Prints the percentiles of samples.
fn print(name: &str, mut samples: Vec<Duration>) {
    samples.sort_unstable();
    let at = |share: usize| samples[(samples.len() * share / 1000).min(samples.len() - 1)].as_secs_f64() * 1e6;
    println!(
        "{name:44} {:>6} steps  p50 {:>8.1} µs  p99 {:>8.1} µs  p99.9 {:>8.1} µs",
        samples.len(),
        at(500),
        at(990),
        at(999)
    );
}

/// Times a session whose host holds messages, and gives them as they are.
fn messages_step(name: &str, window: u64) {
    let checked = pipeline::compile("bench.trim", &policy(window)).checked.expect("the policy has no errors");
    let plan = Arc::new(lower(&checked, None).expect("one policy"));
    let environment = Environment {
        counter: Arc::new(trimtab::model::TokenCounter::default()),
        window: Some(window),
        ..Environment::default()
    };
    let history = messages(TURNS + STEPS);
    let (mut before, mut after, mut fired) = (Vec::new(), Vec::new(), 0);
    for _ in 0..SESSIONS {
        let mut session = Session::new(Arc::clone(&plan), environment.clone(), 0);
        let first = history.len() - 2 * STEPS;
        let mut next = session.before_request(&history[..first], None);
        for at in (first..history.len()).step_by(2) {
            while let Next::Summarise(question, ..) = next {
                next = session.answer(question, trimtab::run::Answer::Summary("So far, all is well.".to_owned()));
            }
            session.take_outcomes();
            let begin = Instant::now();
            black_box(session.after_reply(&history[at], None, None));
            after.push(begin.elapsed());
            let begin = Instant::now();
            next = black_box(session.before_request(&history[..at + 2], None));
            before.push(begin.elapsed());
            fired += session
                .take_outcomes()
                .iter()
                .flat_map(|(_, outcome)| &outcome.due)
                .filter(|due| due.firing.is_some())
                .count();
        }
    }
    print(&format!("{name}: before_request"), before);
    print(&format!("{name}: after_reply"), after);
    println!("{:44} {fired:>6} firings", "");
}

/// Times a session whose client sends JSON.
fn json_step(dialect: Dialect, window: u64) {
    let plan = trimtab::compile("bench.trim", &policy(window)).plan(None).expect("one policy");
    let history = messages(TURNS + STEPS);
    let (mut step, mut reread, mut bytes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..SESSIONS / 10 {
        let mut session = trimtab::Session::new(&plan, Host::new());
        for turns in TURNS..TURNS + STEPS {
            let json = body(dialect, &history[..=2 * turns]);
            let begin = Instant::now();
            let request = sent(&mut session, dialect, &json);
            step.push(begin.elapsed());
            black_box(request);
            bytes = json.len();
            let begin = Instant::now();
            black_box(sent(&mut session, dialect, &json));
            reread.push(begin.elapsed());
        }
    }
    // The first request of each session is read without a known one before it.
    let first = step[0];
    step.retain(|time| *time < first / 2 || first < Duration::from_micros(10));
    println!("{dialect:?}, {:.1} MB: first read {:.1} ms", as_f64(bytes) / 1e6, first.as_secs_f64() * 1e3);
    print(&format!("{dialect:?}: one turn more"), step);
    print(&format!("{dialect:?}: resent"), reread);
}

fn as_f64(bytes: usize) -> f64 {
    u32::try_from(bytes).map_or(f64::INFINITY, f64::from)
}

fn sent(session: &mut trimtab::Session, dialect: Dialect, json: &str) -> PreparedRequest {
    let mut next = session.before_request(dialect, json, None).expect("a request");
    loop {
        next = match next {
            trimtab::Next::Send(request) => return request,
            trimtab::Next::Summarise(question, _) => session.answer(question, Ok("So far, all is well.".to_owned())),
            next => unreachable!("{next:?}"),
        };
    }
}

fn main() {
    let counter = trimtab::model::TokenCounter::default();
    let tokens: u64 = messages(TURNS).iter().map(|message| counter.message(message)).sum();
    println!("{tokens} tokens, 50 rules");
    messages_step("nothing fires", 2_000_000);
    messages_step("rules fire", 200_000);
    for window in [2_000_000, 200_000] {
        println!("window {window}");
        for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::Anthropic] {
            json_step(dialect, window);
        }
    }
}
