//! A tool loop under a policy: `cargo run --example embed`.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use serde_json::{Value, json};
use trimtab::{Dialect, Host, Next, Session};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plan = trimtab::compile_file("policies/cache_friendly.trim")?.plan(None)?;
    let mut session = Session::new(&plan, Host::new().window(32_000));
    let mut messages = vec![json!({"role": "user", "content": "Read the report, page by page."})];
    for page in 1..=30 {
        let body = json!({"model": "my-model", "messages": messages}).to_string();
        let mut next = session.before_request(Dialect::OpenAiChat, &body, None)?;
        let request = loop {
            next = match next {
                Next::Send(request) => break request,
                // Ask a model for the summary here. After an error, `on_failure` of the rule says what happens.
                Next::Summarise(question, _) => session.answer(question, Err("no summariser".to_owned())),
                Next::Ask(question, _) => session.decide(question, false),
                Next::Confirm { question, .. } => session.confirm(question, false),
                Next::Stop { rule, reason } => return Err(format!("{rule} stops the run: {reason}").into()),
                _ => return Ok(()),
            };
        };
        for firing in &request.firings {
            println!("page {page}: {} makes {} edits, {} tokens saved", firing.rule, firing.edits, firing.tokens_saved);
        }
        let reply = call_model(&request.json, page);
        session.after_reply(&reply.to_string(), None)?;
        let text = "one line more ".repeat(400);
        messages.extend([reply, json!({"role": "tool", "tool_call_id": page.to_string(), "content": text})]);
    }
    Ok(())
}

/// A model that always reads the next page. Yours gets the request.
fn call_model(_request: &str, page: usize) -> Value {
    let function = json!({"name": "read_page", "arguments": json!({"page": page}).to_string()});
    json!({"role": "assistant", "tool_calls": [{"id": page.to_string(), "type": "function", "function": function}]})
}
