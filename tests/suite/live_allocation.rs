//! What a step of a live session allocates does not depend on the length of the conversation.

use std::sync::Arc;

use allocation_counter::measure;
use trimtab::conversation::{Arguments, Message, Part, Role};
use trimtab::run::{Environment, Next, Session};

use crate::laws;

const POLICY: &str = r#"edition 2026
policy p {
  rule mask { on request when context.ratio >= 90% do mask results keep 10 messages }
  rule summarise { on request when context.ratio >= 95% do summarise older keep 20 messages }
  rule slow { when failures >= 3 or repeats >= 5 do inject "Try something else." as user once per failures }
  rule count { when context.results > 100000 or failures.total > 10000 do stop "enough" }
}"#;

fn call(at: usize) -> Arc<Message> {
    let body = serde_json::json!({ "path": format!("file_{at:05}") });
    Arc::new(Message::new(Role::Assistant, vec![Part::call(format!("c{at:05}"), "read", Arguments::from(body))]))
}

fn result(at: usize) -> Arc<Message> {
    Arc::new(Message::new(Role::Tool, vec![Part::result(format!("c{at:05}"), "text ".repeat(40), false)]))
}

/// The least and the most bytes that a step of one turn allocates in a conversation of so many turns. A list that grows
/// allocates now and then for many turns to come, which the least does not show.
fn bytes_of_step(turns: usize) -> (u64, u64) {
    const STEPS: usize = 16;
    let environment = Environment {
        counter: Arc::new(trimtab::model::TokenCounter::default()),
        window: Some(10_000_000),
        ..Environment::default()
    };
    let mut session = Session::new(Arc::new(laws::plan(POLICY)), environment, 0);
    let task = Arc::new(Message::text(Role::User, "Read all files."));
    let history: Vec<Arc<Message>> =
        std::iter::once(task).chain((0..turns + STEPS).flat_map(|at| [call(at), result(at)])).collect();
    assert_eq!(session.before_request(&history[..=2 * turns], None), Next::Send);
    session.take_outcomes();
    let steps: Vec<u64> = (turns + 1..=turns + STEPS)
        .map(|turns| {
            let step = || assert_eq!(session.before_request(&history[..=2 * turns], None), Next::Send);
            let bytes = measure(step).bytes_total;
            session.take_outcomes();
            bytes
        })
        .collect();
    (*steps.iter().min().expect("steps"), *steps.iter().max().expect("steps"))
}

#[test]
fn a_step_in_which_nothing_fires_allocates_the_same_in_every_conversation() {
    let (short, _) = bytes_of_step(50);
    let (long, _) = bytes_of_step(3000);
    assert!(short > 0, "the counter counts");
    assert_eq!(short, long);
}
