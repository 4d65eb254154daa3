//! The inputs of a replay that do not change: the window, the model's prices, the counter and its calibration.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Recall, Role, Usage};
use trimtab_base::quantity::{Decimal, whole};
use trimtab_language::fact::AgentIdentity;
use trimtab_language::plan::Plan;
use trimtab_model::model::{MeasuredCounter, Measures, Models, TokenCounter, Tokenizer, TokenizerError};
use trimtab_recordings::transcript::{Live, RecordedAnswer, Transcript};
use trimtab_run::run::{
    Declared, Environment, InvalidReasoning, Learning, Reflection, Resolution, added_tool, tool_tokens,
};

use super::counter_fit::{Fit, OverheadSource, Prediction, fit, live_fit};
use super::errors;
use super::missing_history;
use super::options::{Options, Tokens};
use super::reasoning_handling::ReasoningHandling;
use super::recorded_tokens::RecordedTokens;
use super::segment::Segments;
use super::series::UsageDrop;

/// The error of the estimate of content.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContentError {
    /// The size of the error that half of the predictions do not exceed, or `None` without predictions.
    pub median: Option<Decimal>,
    /// The number of predictions.
    pub calls: usize,
}

/// The counter and its error.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// Its name.
    pub name: &'static str,
    /// The mean relative difference between a call's usage and the prediction from earlier calls.
    pub error: Option<Decimal>,
    /// The errors of the estimate of what comes between two calls, each predicted from the calls before it: also those of what
    /// a policy removes.
    pub content: ContentError,
    /// The number of calls with usage.
    pub usage_points: usize,
    /// The source of the overhead.
    pub overhead: OverheadSource,
}

/// The inputs of a replay that do not change.
#[derive(Clone, Debug)]
pub struct ReplayInputs {
    /// The model, the window, the prices and the tools.
    pub agent: Resolution,
    /// The counter's kind; never [`Tokens::Best`].
    pub tokens: Tokens,
    /// The counter.
    pub counter: TokenCounter,
    /// The same counter with the measures of the recorded messages that the fit needed; a replay does not measure them again.
    measured: Arc<MeasuredCounter>,
    /// The overhead of each call, in tokens.
    pub overheads: Vec<u64>,
    /// The tokens among the overhead of each call that are messages which the recording lacks.
    pub unrecorded: Vec<u64>,
    /// The tokens among them that the recorded requests do not have: those of the tool that the plan adds.
    pub added_overhead: u64,
    /// The source of the overheads.
    pub overhead: OverheadSource,
    /// Drops of the recorded input without a recorded reason, by the index of the reply after them.
    pub drops: BTreeMap<usize, UsageDrop>,
    /// The tokens of the schema of each tool, as far as they are known.
    tool_tokens: BTreeMap<SmolStr, u64>,
    /// The error of the counter on this transcript: the mean relative difference between a call's usage and the
    /// prediction from earlier calls, or `None` with too little usage.
    pub error: Option<Decimal>,
    /// The number of calls with usage.
    pub usage_points: usize,
    /// What the fit predicted for each call with usage.
    pub predictions: Vec<Prediction>,
    /// The answers that the recorded live session received under the same plan, in order.
    pub answers: Vec<RecordedAnswer>,
    /// The most iterations that the recorded host made in a run, if it was a live session that declared them.
    max_iterations: Option<u64>,
    /// The playbook with which the session begins, and who distils strategies.
    learning: Learning,
    /// Whether sizes of replies without usage count as reported.
    assumes_usage: bool,
    /// What becomes of invalid reasoning, if the model binds it.
    pub invalid_reasoning: Option<InvalidReasoning>,
    /// Whether the recording was made by a live session under the same plan.
    pub is_live: bool,
    /// The factor of the counter of the recorded live session; 1 if there is none.
    sent_factor: Decimal,
    /// Counted tokens as the provider counts them.
    pub(super) recorded_tokens: RecordedTokens,
}

impl ReplayInputs {
    /// Determines everything that does not change during a replay.
    pub fn of(plan: &Plan, transcript: &Transcript, options: &Options) -> Self {
        let live = transcript.live.as_ref().filter(|live| live.plan == plan.hash);
        let agent = resolve(plan, transcript, live, options);
        let author = transcript.main_model().map(SmolStr::as_str).or(agent.model.as_deref());
        let base = base_counter(transcript, options, author.filter(|_| live.is_none()), agent.models());
        let usual = author.filter(|_| !base.is_exact()).map_or(Decimal::ONE, |id| agent.models().factor(id));
        // Without usage, there is nothing to fit.
        let has_usage = transcript.messages.iter().any(|message| message.usage.is_some());
        let measure = if has_usage { Measures::of } else { Measures::none };
        let measures = Arc::new(measure(&transcript.messages, base));
        let unfitted = MeasuredCounter::new(base, Arc::clone(&measures));
        let unfitted = if has_usage { unfitted.with_messages() } else { unfitted };
        let Segments { calls, drops } = Segments::of(transcript, agent.models(), usual, &unfitted);
        let Fit { counter, overheads, overhead, error, usage_points, predictions, recorded_tokens } = match live {
            Some(live) => live_fit(transcript, live, &calls, usual),
            None => fit(&calls, base, usual, |counter| overhead(plan, transcript, counter)),
        };
        let tokens = match (options.tokens, usage_points) {
            (Tokens::Best, 0) if base.is_exact() => Tokens::Exact,
            (Tokens::Best, 0) => Tokens::Estimate,
            (Tokens::Exact, _) if !base.is_exact() => Tokens::Estimate,
            (Tokens::Best, _) => Tokens::Reported,
            (tokens, _) => tokens,
        };
        let invalid_reasoning = agent.binds_reasoning().then(|| fate(options.reasoning, tokens));
        let is_fitted = has_usage && counter == base;
        let measured = if is_fitted { unfitted } else { MeasuredCounter::new(counter, measures).with_messages() };
        let measured = Arc::new(measured);
        let sent_factor = transcript.live.as_ref().map_or(Decimal::ONE, Live::counter_factor);
        let answers = live.map(|live| live.answers.clone()).unwrap_or_default();
        let mut tool_tokens = match live {
            Some(live) if !live.tool_tokens.is_empty() => live.tool_tokens.clone(),
            _ => tool_tokens(&transcript.tools, counter),
        };
        let added = added_tokens(plan, transcript, counter);
        let added_overhead = added.values().sum();
        let unrecorded = if transcript.missing_history && overhead == OverheadSource::Usage {
            missing_history::tokens(&calls, &overheads, tool_tokens.values().sum())
        } else {
            Vec::new()
        };
        tool_tokens.extend(added);
        Self {
            agent,
            tokens,
            counter,
            measured,
            overheads: overheads.into_iter().map(|overhead| overhead.saturating_add(added_overhead)).collect(),
            unrecorded,
            added_overhead,
            overhead,
            drops,
            tool_tokens,
            error,
            usage_points,
            predictions,
            answers,
            invalid_reasoning,
            max_iterations: transcript.live.as_ref().and_then(|live| live.max_iterations),
            learning: learning(transcript, live, options),
            assumes_usage: options.assumes_usage,
            is_live: live.is_some(),
            sent_factor,
            recorded_tokens,
        }
    }

    /// Whether two plans have the same inputs on a transcript. They depend on the agent and on the tool that a plan adds, and for
    /// a recording of a live session also on whether that was under the same plan.
    pub fn is_shared(first: &Plan, second: &Plan, transcript: &Transcript) -> bool {
        transcript.live.is_none() && first.offloads() == second.offloads() && first.has_same_agent_as(second)
    }

    /// Returns how many tokens fewer and more than the recorded conversation, of `counted` tokens, the recorded request
    /// had because a policy had edited it, or `None` if no policy had.
    pub(super) fn kept_out(&self, reply: &Message, counted: u64) -> Option<(u64, u64)> {
        let sent = whole(Decimal::from(reply.sent?) * self.counter.factor() / self.sent_factor);
        let [less, more] = [counted.saturating_sub(sent), sent.saturating_sub(counted)];
        Some((self.recorded_tokens.tokens(less), self.recorded_tokens.tokens(more)))
    }

    /// How many of the tokens that are sent besides the messages have a known content: all of them if the recording has
    /// the system prompt and the tools, else the schemas of the tools.
    pub fn known_overhead(&self) -> u64 {
        match self.overhead {
            OverheadSource::Recording => u64::MAX,
            _ => self.tool_tokens.values().sum(),
        }
    }

    /// The tokens of messages that the recording lacks, in the context of a call.
    pub fn unrecorded(&self, call: usize) -> u64 {
        self.unrecorded.get(call).copied().unwrap_or(0)
    }

    /// What rules read besides the conversation.
    pub fn environment(&self) -> Environment {
        let (tool_tokens, learning) = (self.tool_tokens.clone(), self.learning.clone());
        let max_iterations = self.max_iterations;
        let (assumes_usage, invalid_reasoning) = (self.assumes_usage, self.invalid_reasoning);
        let environment = self.agent.environment(Arc::clone(&self.measured) as _);
        Environment { max_iterations, assumes_usage, tool_tokens, invalid_reasoning, learning, ..environment }
    }

    /// The description of the counter in the trace.
    pub(super) fn counting(&self) -> Counting {
        let growth = errors::of_growth(&self.predictions);
        Counting {
            name: self.tokens.word(),
            error: self.error,
            content: ContentError { median: growth.median(), calls: growth.count() },
            usage_points: self.usage_points,
            overhead: self.overhead,
        }
    }
}

/// What becomes of invalid reasoning in contexts that are counted in this way.
const fn fate(handling: ReasoningHandling, tokens: Tokens) -> InvalidReasoning {
    match (handling, tokens) {
        // Recorded sizes do not change.
        (ReasoningHandling::Keep, _) | (_, Tokens::Recorded) => InvalidReasoning::Stays,
        (ReasoningHandling::Drop | ReasoningHandling::Strip, _) => InvalidReasoning::Leaves,
    }
}

/// Whether a transcript can be counted as the options ask.
///
/// # Errors
/// They ask for exact counts, and there is no tokenizer for the model.
pub fn check_counter(plan: &Plan, transcript: &Transcript, options: &Options) -> Result<(), TokenizerError> {
    if options.tokens != Tokens::Exact {
        return Ok(());
    }
    let agent = resolve(plan, transcript, None, options);
    let author = transcript.main_model().map(SmolStr::as_str).or(agent.model.as_deref());
    Tokenizer::of(options.model.as_deref().or(author), agent.models()).map(drop)
}

/// The counter before it is fitted: the tokenizer of the model if the options ask for it, or if nothing better is known
/// because there is no usage and the tokenizer is published.
fn base_counter(transcript: &Transcript, options: &Options, author: Option<&str>, models: &Models) -> TokenCounter {
    let has_usage = || transcript.messages.iter().any(|message| message.usage.is_some());
    let is_wanted = match options.tokens {
        Tokens::Exact => true,
        Tokens::Best => !has_usage(),
        _ => false,
    };
    let tokenizer = is_wanted.then(|| Tokenizer::of(options.model.as_deref().or(author), models)).and_then(Result::ok);
    let estimate = || author.map_or_else(TokenCounter::default, |id| TokenCounter::of_model(id, models));
    tokenizer.map_or_else(estimate, TokenCounter::exact)
}

/// The tokens of the tool that the plan adds to the recorded requests. A live session under this plan added it itself.
fn added_tokens(plan: &Plan, transcript: &Transcript, counter: TokenCounter) -> BTreeMap<SmolStr, u64> {
    let is_recorded = transcript.live.as_ref().is_some_and(|live| live.plan == plan.hash);
    let added = added_tool(plan, Recall::Tool, &transcript.tools).filter(|_| !is_recorded);
    tool_tokens(added.as_slice(), counter)
}

/// The playbook of the options, or that of the recorded live session. The strategies that its host distilled are among its
/// answers, which are used only under the same plan.
fn learning(transcript: &Transcript, live: Option<&Live>, options: &Options) -> Learning {
    let recorded = || transcript.live.as_ref().map(|live| Arc::new(live.playbook.clone()));
    let host_reflects = live.is_some_and(|live| live.host_reflects);
    Learning {
        playbook: options.playbook.clone().or_else(recorded).unwrap_or_default(),
        reflection: if host_reflects { Reflection::Host } else { Reflection::Embedded },
    }
}

fn resolve(plan: &Plan, transcript: &Transcript, live: Option<&Live>, options: &Options) -> Resolution {
    let contexts = largest_contexts(transcript);
    let tools: Vec<SmolStr> = transcript.tools.iter().map(|tool| tool.name.clone()).collect();
    let agent = AgentIdentity { name: transcript.agent.clone(), depth: transcript.agent_depth() };
    let declared = Declared {
        given_window: options.window,
        given_model: options.model.as_deref(),
        given_tools: options.tools.as_deref(),
        used_window: live.and_then(|live| live.window),
        has_fixed_window: live.is_some_and(|live| live.has_fixed_window),
        follows_replies: live.map(|live| live.follows_replies),
        window: transcript.window,
        model: transcript.model.as_deref(),
        tools: &tools,
        agent: Some(&agent),
        recall: live.map_or(Recall::Tool, |live| live.recall),
        contexts: &contexts,
        prices_of: options.prices_of,
    };
    Resolution::of(plan, &declared)
}

/// The largest recorded context of each model. A reply without a model has that of the one before it.
fn largest_contexts(transcript: &Transcript) -> Vec<(Option<SmolStr>, u64)> {
    let (mut all, mut model): (BTreeMap<Option<&SmolStr>, u64>, _) = (BTreeMap::new(), None);
    for message in &transcript.messages {
        model = message.model.as_ref().or(model);
        let compacted = message.compaction().and_then(|compaction| compaction.tokens);
        if let Some(context) = message.usage.map(Usage::context).max(compacted) {
            let largest = all.entry(model).or_default();
            *largest = context.max(*largest);
        }
    }
    all.into_iter().map(|(model, context)| (model.cloned(), context)).collect()
}

/// The overhead without usage: recorded or counted from the schemas of the tools, or else from the policy.
fn overhead(plan: &Plan, transcript: &Transcript, counter: TokenCounter) -> (u64, OverheadSource) {
    let counted = || tool_tokens(&transcript.tools, counter).into_values().sum();
    let counted: u64 = transcript.tool_tokens.unwrap_or_else(counted);
    let prompt = transcript.messages.first().is_some_and(|message| message.role == Role::System);
    let calls = || transcript.messages.iter().any(|message| message.calls().next().is_some());
    let missing = match plan.agent.overhead {
        _ if prompt && (counted > 0 || !calls()) => OverheadSource::Recording,
        Some(overhead) if overhead >= counted => OverheadSource::Policy,
        _ => OverheadSource::Missing { prompt: !prompt, tools: counted == 0 },
    };
    match (prompt, counted) {
        (true, counted) if counted > 0 => (counted, missing),
        _ => (plan.agent.overhead.unwrap_or(counted).max(counted), missing),
    }
}
