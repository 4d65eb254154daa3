//! The result of a replay.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::conversation::{Compaction, Violation};
use trimtab_base::hook;
use trimtab_base::quantity::Decimal;
use trimtab_language::effect::Signal;
use trimtab_language::fact::Spending;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;
use trimtab_run::run::{Explanation, RuleSignal, ToolsSource, WindowSource};

use super::call::Call;
use super::call_sums::{CallSums, Series};
use super::compared::Compared;
use super::counter_fit::{OverheadSource, Prediction};
use super::learned_strategies::Learned;
use super::model_calls::ModelCalls;
use super::money::Money;
use super::pricing::Pricing;
use super::reasoning_handling::ReasoningHandling;
use super::recording_observations::Observed;
use super::regret::Regret;
use super::replay_inputs::{ContentError, Counting};
use super::rule_trace::RuleTrace;
use super::timeline::Timeline;
use super::unknown::UnknownFact;

/// The replay of one transcript.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The policy.
    pub policy: SmolStr,
    /// The transcript's id.
    pub id: String,
    /// The format it was read from.
    pub format: &'static str,
    /// The model.
    pub model: Option<SmolStr>,
    /// Whether the recording is of a live session under a policy, so that recorded contexts are those without its edits.
    pub is_live: bool,
    /// The window and its source.
    pub window: Option<(u64, WindowSource)>,
    /// The models of the calls in the order of their first calls.
    pub models: Vec<ModelCalls>,
    /// Tokens of the window that are kept free for the reply.
    pub reserve: u64,
    /// The source of the agent's tools, or `None` if nothing declares them.
    pub tools_source: Option<ToolsSource>,
    /// The counter of contexts.
    pub counter: Counting,
    /// What was predicted for each call with usage from the calls before it; empty after [`Self::drop_call_details`].
    pub predictions: Vec<Prediction>,
    /// Every model call in order; empty after [`Self::drop_call_details`].
    pub calls: Vec<Call>,
    /// The sums over all calls, if single calls have been dropped.
    pub(super) call_sums: Option<CallSums>,
    /// The number of runs.
    pub runs: usize,
    /// Resets of the recorded context.
    pub resets: Vec<Reset>,
    /// Clearings: the recorded harness replaced tool results with placeholders.
    pub clearings: Vec<Clearing>,
    /// The calls before which the recorded input dropped for no recorded reason.
    pub drops: Vec<usize>,
    /// Records that were skipped when the transcript was read, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// The first call whose context differs from the recorded one.
    pub first_divergence: Option<usize>,
    /// What each rule did, in the order of the plan.
    pub rules: Vec<RuleTrace>,
    /// Inserted summaries.
    pub summaries: usize,
    /// Messages inserted by `inject`.
    pub injections: usize,
    /// Recorded calls after a stop in the same run.
    pub after_stop: usize,
    /// What the host does with reasoning after a change, if the model binds it.
    pub reasoning: Option<ReasoningHandling>,
    /// The calls that the provider would refuse, because the host keeps invalid reasoning.
    pub refused: Vec<usize>,
    /// What the calls cost, as recorded and with the policy.
    pub money: Money,
    /// How long the provider keeps an unused prefix, in seconds: an hour if most of what the recording writes is kept
    /// for an hour. The longest time of the session's models, or `None` if nothing is cached.
    pub cache_lifetime: Option<u64>,
    /// Which calls have a known price.
    pub pricing: Pricing,
    /// What the replies and summaries of all runs would have used.
    pub spent: Spending,
    /// Facts that rules read and that were unknown at every call, in the order of the rules.
    pub unknown: Vec<UnknownFact>,
    /// The tools that the policy names and the recording neither declares nor calls, or `None` if it has no tools at
    /// all.
    pub missing_tools: Option<Vec<MissingTool>>,
    /// The results of the invariant checks.
    pub invariants: Invariants,
    /// The signals to the host, with their calls; empty after [`Self::drop_call_details`].
    pub signals: Vec<(usize, RuleSignal)>,
    /// The events that hooks would get, in order, if requested.
    pub events: Vec<TracedEvent>,
    /// Failed summaries, with the call and the rule.
    pub failures: Vec<(usize, SmolStr, String)>,
    /// The explanation of the requested call.
    pub explained: Option<CallExplanation>,
    /// The explanation of each call, if requested.
    pub all_explained: Vec<CallExplanation>,
    /// What was learned, if a rule writes learned strategies into requests.
    pub learned: Option<Learned>,
    /// Properties of the recording.
    pub observed: Observed,
    /// The later calls that needed what a rule had removed from the context.
    pub regret: Regret,
    /// What each call would have sent, part by part, if requested.
    pub timeline: Option<Timeline>,
}

/// A tool that the policy names and the recording neither declares nor calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    /// Its name, or a pattern.
    pub name: SmolStr,
    /// A tool of the recording whose name differs only in upper and lower case, and which the policy does not name.
    pub case_variant: Option<SmolStr>,
}

/// An event that hooks would get.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedEvent {
    /// The last call that has begun, or `None` before the first.
    pub call: Option<usize>,
    /// The run.
    pub run: u64,
    /// The number of calls of the run before the current or next one.
    pub iteration: u64,
    /// The event.
    pub event: hook::Event,
}

/// A reset of the recorded context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// The first call of the new context.
    pub call: usize,
    /// Its cause.
    pub cause: ResetCause,
}

/// The cause of a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetCause {
    /// The harness compacted.
    Compaction(Compaction),
    /// A person or the harness cleared the context, and the session continued with a new prompt.
    Cleared,
    /// The recorded input dropped for no recorded reason.
    Unexplained,
}

/// Tool results that the recorded harness replaced with placeholders. The replay applies the same edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clearing {
    /// The first call without them.
    pub call: usize,
    /// The number of cleared results in the recorded context.
    pub results: usize,
    /// The number of cleared results that are not in the recorded context.
    pub missing: usize,
    /// The saved tokens by the replay's counter.
    pub estimated: u64,
    /// The saved tokens as the harness recorded them, if it did.
    pub stated: Option<u64>,
    /// By how many tokens the recorded input dropped, if there is usage.
    pub measured: Option<u64>,
    /// Whether it is not recorded but inferred from a drop of the recorded input.
    pub inferred: bool,
}

/// The results of the invariant checks.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// The number of checked edits.
    pub checked: usize,
    /// Violations, with their calls.
    pub broken: Vec<(usize, Violation)>,
}

/// Explanations of the rules at one call, phase by phase.
#[derive(Clone, Debug)]
pub struct CallExplanation {
    /// The call.
    pub call: usize,
    /// Each phase of the call with its rules.
    pub phases: Vec<(&'static str, Vec<Explanation>)>,
}

impl Trace {
    /// An empty trace of a plan.
    pub(super) fn of(plan: &Plan) -> Self {
        let rules = plan.rules.iter().map(|rule| RuleTrace { name: rule.name.clone(), ..RuleTrace::default() });
        Self {
            policy: plan.policy.clone(),
            id: String::new(),
            format: "",
            model: None,
            is_live: false,
            window: None,
            models: Vec::new(),
            reserve: 0,
            tools_source: None,
            counter: Counting {
                name: "",
                error: None,
                content: ContentError::default(),
                usage_points: 0,
                overhead: OverheadSource::Recording,
            },
            predictions: Vec::new(),
            calls: Vec::new(),
            call_sums: None,
            runs: 0,
            resets: Vec::new(),
            clearings: Vec::new(),
            drops: Vec::new(),
            skipped: BTreeMap::new(),
            first_divergence: None,
            rules: rules.collect(),
            summaries: 0,
            injections: 0,
            after_stop: 0,
            reasoning: None,
            refused: Vec::new(),
            money: Money::default(),
            cache_lifetime: None,
            pricing: Pricing::default(),
            spent: Spending::default(),
            unknown: Vec::new(),
            invariants: Invariants::default(),
            signals: Vec::new(),
            events: Vec::new(),
            failures: Vec::new(),
            explained: None,
            all_explained: Vec::new(),
            learned: None,
            missing_tools: None,
            observed: Observed::default(),
            regret: Regret::default(),
            timeline: None,
        }
    }

    /// Begins a call.
    pub(super) fn begin_call(&mut self, run: u64, iteration: u64, explain: bool) {
        if explain {
            self.all_explained.push(CallExplanation { call: self.calls.len(), phases: Vec::new() });
        }
        let (fired, values) = (Vec::new(), Vec::new());
        let (overhead, before, prevented, after) = (0, 0, 0, 0);
        let window = None;
        self.calls.push(Call {
            run,
            iteration,
            unrecorded: 0,
            overhead,
            before,
            prevented,
            window,
            after,
            made: false,
            fired,
            values,
        });
    }

    /// Records the explanations of a phase of a call.
    pub(super) fn explain(&mut self, call: usize, phase: Phase, explanation: Vec<Explanation>) {
        let wanted = self.explained.as_mut().filter(|explained| explained.call == call);
        if let Some(explained) = wanted.or(self.all_explained.get_mut(call))
            && !explanation.is_empty()
        {
            explained.phases.push((phase.word(), explanation));
        }
    }

    fn sums(&self) -> CallSums {
        self.call_sums.unwrap_or_else(|| CallSums::of(&self.calls, self.reserve))
    }

    /// The recorded contexts.
    pub fn before(&self) -> Series {
        self.sums().before
    }

    /// The recorded contexts of the calls that are made with the plan too, without what a stop kept from happening before
    /// them: what [`Self::after`] is compared with.
    pub fn compared(&self) -> Series {
        self.sums().compared
    }

    /// The contexts as the plan would have sent them.
    pub fn after(&self) -> Series {
        self.sums().after
    }

    /// Returns the calls whose context exceeds the window minus the reserve, or `None` if no call has a known window.
    pub fn over_window(&self) -> Option<Compared<usize>> {
        self.sums().over_window
    }

    /// The number of model calls.
    pub fn call_count(&self) -> usize {
        self.call_sums.map_or(self.calls.len(), |sums| sums.before.calls)
    }

    /// Drops what is known of single calls: a report on many transcripts does not show it.
    pub fn drop_call_details(&mut self) {
        self.call_sums = Some(self.sums());
        (self.calls, self.money.calls, self.predictions) = (Vec::new(), Vec::new(), Vec::new());
        (self.money.summary_calls, self.money.call_costs, self.signals) = (Vec::new(), Vec::new(), Vec::new());
        self.observed.tools.clear();
        // What is kept does not grow any more.
        self.rules.iter_mut().for_each(RuleTrace::shrink);
        self.money.breaks.shrink_to_fit();
        self.regret.shrink();
        self.resets.shrink_to_fit();
        self.clearings.shrink_to_fit();
        self.failures.shrink_to_fit();
        self.unknown.shrink_to_fit();
    }

    /// The texts for the host, with their calls and rules.
    pub fn notices(&self) -> impl Iterator<Item = (usize, &SmolStr, &str)> {
        self.signals_with(Signal::notice)
    }

    /// The reasons to end a run, with their calls and rules.
    pub fn stops(&self) -> impl Iterator<Item = (usize, &SmolStr, &str)> {
        self.signals_with(Signal::stop)
    }

    /// The signals that have such a text.
    fn signals_with(&self, text: fn(&Signal) -> Option<&str>) -> impl Iterator<Item = (usize, &SmolStr, &str)> {
        self.signals.iter().filter_map(move |(call, given)| Some((*call, &given.rule, text(&given.signal)?)))
    }

    /// Returns a number of tokens as a share of the window, or `None` if the window is unknown.
    pub fn ratio(&self, tokens: u64) -> Option<Decimal> {
        let (window, _) = self.window.filter(|(window, _)| *window > 0)?;
        Some(Decimal::from(tokens) / Decimal::from(window))
    }

    /// Whether a recorded context is larger than the window, so that the window must be wrong. With several windows, a
    /// session may have changed to a model with a smaller one.
    pub fn exceeds_window(&self) -> bool {
        let has_one_window =
            self.models.iter().all(|one| Some(one.window) == self.models.first().map(|one| one.window));
        !self.is_live && has_one_window && self.before().peak_ratio.is_some_and(|ratio| ratio > Decimal::ONE)
    }

    /// The size in tokens of the largest context with an automatic compaction, if it is less than half of the window: a
    /// harness compacts when the window fills up, so the window is probably wrong.
    pub fn early_compaction(&self) -> Option<u64> {
        let (window, _) = self.window?;
        let automatic = self.resets.iter().filter_map(|reset| match reset.cause {
            ResetCause::Compaction(Compaction { automatic: true, tokens, .. }) => tokens,
            _ => None,
        });
        automatic.max().filter(|tokens| *tokens < window / 2)
    }

    /// Tokens that the plan saved, summed over the calls that are made in both; negative if it sent more.
    pub fn saved(&self) -> i128 {
        let signed = |sum: u128| i128::try_from(sum).unwrap_or(i128::MAX);
        signed(self.compared().sum) - signed(self.after().sum)
    }
}
