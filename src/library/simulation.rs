//! Simulation of a plan on a transcript.

use trimtab_language::fact::HostValues;
#[cfg(feature = "lint")]
use trimtab_report::report::{ReplayResult, result::TranscriptResult};
use trimtab_run::run::{FactError, FactValue, set_fact};
use trimtab_simulate::simulate::{
    self, Confirmations, ConstantSummariser, Extract, FailingSummariser, Options, Summariser, Trace,
};

use super::policy::Plan;
use super::recording::Transcript;

/// The source of summaries in a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SummarySource {
    /// Quotations from the conversation under the headings of the built-in prompt, without a model.
    #[default]
    Extract,
    /// This text for every summary; `{n}` in it is the number of the summary.
    Text(String),
    /// Every summary fails.
    Fail,
}

/// Options of a simulation. Unset options come from the policy, the transcript, or the model's defaults.
#[derive(Clone, Debug, Default)]
pub struct SimulationOptions {
    pub(super) options: Options,
    summaries: SummarySource,
}

impl SimulationOptions {
    /// Sets the context window in tokens.
    pub fn window(mut self, tokens: u64) -> Self {
        self.options.window = Some(tokens);
        self
    }

    /// Sets the model, which decides window and prices.
    pub fn model(mut self, id: impl Into<String>) -> Self {
        self.options.model = Some(id.into());
        self
    }

    /// Sets the tools of the agent.
    pub fn tools<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.options.tools = Some(names.into_iter().map(|name| name.as_ref().into()).collect());
        self
    }

    /// Supplies a value, for the whole simulation, for a fact that the plan declares.
    ///
    /// # Errors
    /// The plan does not declare the fact, or it has another type.
    pub fn fact(mut self, plan: &Plan, name: &str, value: impl Into<FactValue>) -> Result<Self, FactError> {
        let mut facts = HostValues::default();
        set_fact(&plan.0, &mut facts, name, Some(&value.into()))?;
        self.options.facts.extend(facts);
        Ok(self)
    }

    /// Sets the source of summaries.
    pub fn summaries(mut self, source: SummarySource) -> Self {
        self.summaries = source;
        self
    }

    /// Sets whether a person confirms the questions of rules. Without this, every question is declined.
    pub const fn confirm(mut self, confirms: bool) -> Self {
        self.options.confirm = if confirms { Confirmations::ALWAYS } else { Confirmations::NEVER };
        self
    }

    pub(super) fn summariser(&self) -> Box<dyn Summariser> {
        match &self.summaries {
            SummarySource::Extract => Box::new(Extract),
            SummarySource::Text(text) => Box::new(ConstantSummariser(text.clone())),
            SummarySource::Fail => Box::new(FailingSummariser),
        }
    }
}

/// Replays a transcript under a plan. Recorded replies stay as they are: the simulation shows what would have been sent,
/// not what the model would have answered.
pub fn simulate(plan: &Plan, transcript: &Transcript, options: &SimulationOptions) -> Simulation {
    Simulation(simulate::replay(&plan.0, &transcript.0, &options.options, options.summariser().as_mut(), &mut |_| {}))
}

/// The result of a simulation.
#[derive(Clone, Debug)]
pub struct Simulation(Trace);

/// One model call of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimulatedCall {
    /// Its run, from 0.
    pub run: u64,
    /// Its iteration in the run, from 0.
    pub iteration: u64,
    /// The size of the recorded context in tokens.
    pub before: u64,
    /// The size of the context that the plan would have sent, in tokens; `None` if the plan stopped the run before.
    pub after: Option<u64>,
}

/// What one rule did in a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimulatedRule<'s> {
    /// The name of the rule.
    pub name: &'s str,
    /// How often its condition was true and no guard or `unless` blocked it.
    pub due: usize,
    /// The calls at which it fired, from 0.
    pub fired_at: &'s [usize],
    /// The tokens that its edits removed, summed over all calls; negative if it added some.
    pub tokens_saved: i128,
}

impl Simulation {
    /// The model calls in order.
    pub fn calls(&self) -> impl Iterator<Item = SimulatedCall> {
        self.0.calls.iter().map(|call| SimulatedCall {
            run: call.run,
            iteration: call.iteration,
            before: call.before,
            after: call.made.then_some(call.after),
        })
    }

    /// What each rule did, in the order of the plan.
    pub fn rules(&self) -> impl Iterator<Item = SimulatedRule<'_>> {
        self.0.rules.iter().map(|rule| SimulatedRule {
            name: &rule.name,
            due: rule.due,
            fired_at: &rule.calls,
            tokens_saved: rule.saved,
        })
    }

    /// The entry of this transcript in the JSON of `trimtab simulate`.
    #[cfg(feature = "lint")]
    pub fn result(&self) -> TranscriptResult {
        let id = self.0.id.clone();
        ReplayResult { file: id.clone(), id, trace: self.0.clone(), assertions: Vec::new() }.result()
    }

    /// The first call whose context differs from the recorded one.
    pub fn first_divergence(&self) -> Option<usize> {
        self.0.first_divergence
    }

    /// The number of summaries that were inserted.
    pub fn summaries(&self) -> usize {
        self.0.summaries
    }

    /// The number of recorded calls that the plan would not have made, because it stopped their run.
    pub fn calls_after_stop(&self) -> usize {
        self.0.after_stop
    }
}
