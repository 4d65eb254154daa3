//! Runs a policy inside a custom agent loop: before each model call, it tries the rules of the phase `request`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::BTreeSet;

use trimtab::conversation::{Arguments, Conversation, Message, Part, Role};
use trimtab::model::Estimate;
use trimtab::phase::Phase;
use trimtab::run::{Answer, State, Step, StepContext, StepStatus};
use trimtab::{pipeline, plan};

const POLICY: &str = r#"
edition 2026
policy small "Keeps the three newest results." {
  rule mask_old_results { when context.results > 3 do mask results keep 3 results preview 12 chars }
}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let compiled = pipeline::compile("small.trim", POLICY);
    let checked = compiled.checked.ok_or("the policy has errors")?;
    let plan = plan::lower(&checked, None).map_err(|error| format!("{error:?}"))?;

    let (counter, tools) = (Estimate::default(), BTreeSet::new());
    let (mut state, mut conversation) = (State::new(&plan, 0), Conversation::default());
    state.begin_run();
    conversation.push(Message::text(Role::User, "Read the five files."), &counter);
    for number in 1..=5 {
        let context = StepContext {
            phase: Phase::Request,
            counter: &counter,
            window: Some(200_000),
            reserve: 0,
            tools: &tools,
            overrides: None,
            explain: false,
        };
        let mut step = Step::begin(&plan, &mut state, &mut conversation, context);
        let mut answer = None;
        let outcome = loop {
            match step.resume(answer.take()) {
                StepStatus::Done(outcome) => break outcome,
                // A real agent would call a model here. This policy requests no summary.
                StepStatus::NeedsSummary(..) => answer = Some(Answer::Failed("no summariser".to_owned())),
                StepStatus::NeedsDecision(_) => answer = Some(Answer::Continue),
            }
        };
        let saved: u64 = outcome
            .due
            .iter()
            .filter_map(|rule| rule.firing.as_ref())
            .flat_map(|firing| &firing.receipts)
            .map(|receipt| receipt.saved())
            .sum();
        // A real agent would call the model here, then add its reply and the tool results.
        let call = Part::call(
            format!("call_{number}"),
            "read_file",
            Arguments::Text(format!("{{\"path\":\"{number}.txt\"}}").into()),
        );
        conversation.push(Message::new(Role::Assistant, vec![call]), &counter);
        let text = format!("This is the content of file {number}. ").repeat(20);
        conversation
            .push(Message::new(Role::Tool, vec![Part::result(format!("call_{number}"), text, false)]), &counter);
        state.meter.record_call(conversation.tokens(), conversation.tokens());
        state.next_iteration();
        println!("call {number}: {saved} tokens saved, {} in the conversation", conversation.tokens());
    }
    Ok(())
}
