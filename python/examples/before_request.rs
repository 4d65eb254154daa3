//! Times `Session::before_request` for `python/tests/overhead.py`, over the last steps of a conversation.
//!
//! `before_request POLICY MESSAGES STEPS` prints the medians in nanoseconds, of requests that are given as text and of those that
//! are given as values.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it reads a file, measures time and prints it")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trimtab::{Dialect, Host, Next, Plan, Session};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [policy, messages, steps] = arguments.as_slice() else { return Err("three arguments are expected".into()) };
    let plan = trimtab::compile_file(policy)?.plan(None)?;
    let messages: Vec<Value> = serde_json::from_slice(&std::fs::read(messages)?)?;
    let steps: usize = steps.parse()?;
    println!("{} {}", median(&plan, &messages, steps, text)?, median(&plan, &messages, steps, value)?);
    Ok(())
}

/// The request to send, and how long it took to make it.
type Made = Result<Duration, Box<dyn Error>>;

fn text(session: &mut Session, body: &Value) -> Made {
    let body = body.to_string();
    let start = Instant::now();
    black_box(sent(session, &body)?);
    Ok(start.elapsed())
}

fn value(session: &mut Session, body: &Value) -> Made {
    let start = Instant::now();
    let given = body.to_string();
    let request = sent(session, &given)?;
    let sent = (request != given).then(|| serde_json::from_str::<Value>(&request)).transpose()?;
    let time = start.elapsed();
    drop(black_box(sent));
    Ok(time)
}

fn sent(session: &mut Session, body: &str) -> Result<String, Box<dyn Error>> {
    let mut next = session.before_request(Dialect::OpenAiChat, body, None)?;
    loop {
        next = match next {
            Next::Send(request) => return Ok(request.json.to_string()),
            Next::Summarise(question, _) => session.answer(question, Ok("So far, all is well.".to_owned())),
            Next::Ask(question, _) => session.decide(question, false),
            _ => return Err("the session has no request".into()),
        };
    }
}

fn median(
    plan: &Plan,
    messages: &[Value],
    steps: usize,
    time: fn(&mut Session, &Value) -> Made,
) -> Result<u128, Box<dyn Error>> {
    let mut session = Session::new(plan, Host::new().window(200_000));
    let body = |end: usize| json!({"model": "gpt-5", "messages": messages.get(..end)});
    let first = messages.len().saturating_sub(2 * steps);
    time(&mut session, &body(first))?;
    let mut times = Vec::new();
    for at in (first..messages.len()).step_by(2) {
        let reply = messages.get(at).ok_or("an even number of messages")?;
        session.after_reply(&reply.to_string(), None)?;
        times.push(time(&mut session, &body(at + 2))?);
    }
    times.sort_unstable();
    times.get(times.len() / 2).map(Duration::as_nanos).ok_or_else(|| "no steps".into())
}
