//! The outcome of a transcript under each plan.

use std::sync::OnceLock;

use trimtab_analysis::sweep::TranscriptOutcome;
use trimtab_analysis::test::Observer;
use trimtab_base::quantity::Decimal;
use trimtab_language::check::Expectation;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Transcript;
use trimtab_simulate::simulate::{Options, ReplayInputs, Summariser, replay_with};

/// How every transcript is replayed.
#[derive(Clone, Copy, Debug)]
pub struct Replays<'a> {
    /// The plans.
    pub plans: &'a [Plan],
    /// The options of each replay.
    pub options: &'a Options,
    /// The constraints.
    pub expectations: &'a [Expectation],
    /// The share of the axis `calls-above`.
    pub above: Decimal,
}

impl Replays<'_> {
    /// The outcome under a plan. `shared` holds the inputs of the first plan, which measures all texts of the transcript.
    pub fn outcome(
        &self,
        plan: &Plan,
        transcript: &Transcript,
        shared: &OnceLock<ReplayInputs>,
        summariser: &mut dyn Summariser,
    ) -> TranscriptOutcome {
        let own;
        let first = self.plans.first().filter(|first| ReplayInputs::is_shared(first, plan, transcript));
        let inputs = if let Some(first) = first {
            shared.get_or_init(|| ReplayInputs::of(first, transcript, self.options))
        } else {
            own = ReplayInputs::of(plan, transcript, self.options);
            &own
        };
        let mut observer = Observer::new(self.expectations);
        let options = observer.options(self.options.clone());
        let trace = replay_with(inputs, plan, transcript, &options, summariser, &mut |sent| observer.record(sent));
        let verdicts = observer.judge(&trace).into_iter().enumerate();
        let unmet = verdicts.filter(|(_, verdict)| !verdict.is_met).map(|(constraint, _)| constraint);
        TranscriptOutcome::of(&trace, self.above, unmet.collect())
    }
}
