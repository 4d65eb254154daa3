//! A plan in a loop of one's own: before each model call, the rules of `request` are tried.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::BTreeSet;

use trimtab::conversation::{Arguments, Conversation, Message, Part, Role};
use trimtab::model::Estimate;
use trimtab::phase::Phase;
use trimtab::run::{Answer, Pause, Setting, State, Step};
use trimtab::{pipeline, plan};

const POLICY: &str = r#"
edition 2026
policy small "Keeps three results." {
  rule mask_old_results { when context.results > 3 do mask results keep 3 results preview 12 chars }
}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let compiled = pipeline::compile("small.trim", POLICY);
    let checked = compiled.checked.ok_or("the policy has errors")?;
    let plan = plan::lower(&checked, None).map_err(|unclear| format!("{unclear:?}"))?;

    let (counter, tools) = (Estimate::default(), BTreeSet::new());
    let (mut state, mut conversation) = (State::new(&plan, 0), Conversation::default());
    state.begin_run();
    conversation.push(Message::text(Role::User, "Read the five files."), &counter);
    for number in 1..=5 {
        let setting = Setting {
            phase: Phase::Request,
            counter: &counter,
            window: Some(200_000),
            reserve: 0,
            tools: &tools,
            overrides: None,
            explain: false,
        };
        let mut step = Step::begin(&plan, &mut state, &mut conversation, setting);
        let mut answer = None;
        let outcome = loop {
            match step.resume(answer.take()) {
                Pause::Done(outcome) => break outcome,
                // Here an agent would ask a model; this policy never does.
                Pause::Summary(..) => answer = Some(Answer::Failed("no summariser".to_owned())),
                Pause::Person(_) => answer = Some(Answer::GoOn),
            }
        };
        let saved: u64 = outcome
            .tried
            .iter()
            .filter_map(|tried| tried.firing.as_ref())
            .flat_map(|firing| &firing.receipts)
            .map(|receipt| receipt.saved())
            .sum();
        // Here the model is called; its reply and the results of its tools are added.
        let call = Part::call(
            format!("call_{number}"),
            "read_file",
            Arguments::Text(format!("{{\"path\":\"{number}.txt\"}}").into()),
        );
        conversation.push(Message::new(Role::Assistant, vec![call]), &counter);
        let text = format!("This is what stands in file {number}. ").repeat(20);
        conversation
            .push(Message::new(Role::Tool, vec![Part::result(format!("call_{number}"), text, false)]), &counter);
        state.meter.called(conversation.tokens(), conversation.tokens());
        state.next_iteration();
        println!("call {number}: {saved} tokens saved, {} in the conversation", conversation.tokens());
    }
    Ok(())
}
