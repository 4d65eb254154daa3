//! A dry run: given facts instead of a transcript. Every due rule fires, and no edit is applied.

use trimtab_base::conversation::Conversation;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Transcript;
use trimtab_run::run::{State, Step, StepContext};

use super::options::Options;
use super::replay_inputs::ReplayInputs;
use super::trace::Trace;

/// Runs a plan for a number of iterations of one run without a transcript. The trace contains when each rule was due and
/// fired, but no sizes.
pub fn dry_run(plan: &Plan, iterations: u64, options: &Options) -> Trace {
    let inputs = ReplayInputs::of(plan, &Transcript::default(), options);
    let environment = inputs.environment();
    let mut trace =
        Trace { runs: 1, model: inputs.agent.model.clone(), window: inputs.agent.window, ..Trace::of(plan) };
    let mut state = State::new(plan, inputs.overheads.first().copied().unwrap_or(0));
    let (mut conversation, mut confirmations) = (Conversation::default(), options.confirm);
    state.begin_run();
    for call in 0..usize::try_from(iterations).unwrap_or(usize::MAX) {
        trace.begin_call(0, state.run.iteration, options.explain_all);
        let overrides = options.given.at(call, environment.window, environment.reserve);
        for phase in Phase::ITERATION.into_iter().filter(|phase| plan.rules.iter().any(|rule| rule.phase == *phase)) {
            let explain = options.explain_all;
            let context = StepContext { phase, environment: &environment, overrides: Some(&overrides), explain };
            let outcome = Step::begin(plan, &mut state, &mut conversation, context)
                .skip_effects(&mut || confirmations.confirms());
            for due in outcome.due {
                let rule = &mut trace.rules[due.rule];
                rule.due += 1;
                if due.is_declined {
                    rule.declined += 1;
                    continue;
                }
                rule.fired += 1;
                rule.calls.push(call);
                trace.calls[call].fired.push(due.rule);
            }
            trace.explain(call, phase, outcome.explanations);
        }
        state.next_iteration();
    }
    trace
}
