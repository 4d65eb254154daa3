//! The replay of one transcript.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use trimtab_simulate::simulate::{Learned, ModelCalls, ReasoningHandling, Tokens, ToolsSource, Trace};

use super::{
    CallResult, ClearingResult, CompactionResult, EventCounts, ExplainedRule, RegretResult, TranscriptContexts,
    TranscriptMoney, TranscriptRule,
};
use crate::report::figure::{Amount, Share, number, signed};
use crate::report::replay_result::{AssertionResult, ReplayResult};
use crate::report::rule_history;
use crate::report::verdict::{VerdictFigures, VerdictResult};

/// The replay of one transcript.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct TranscriptResult {
    /// The file, with the id inside it if the file contains several transcripts.
    pub id: String,
    /// The file as given.
    pub file: String,
    /// The format of the file.
    pub format: String,
    /// The model of the session.
    pub model: Option<String>,
    /// The context window in tokens.
    pub window: Option<u64>,
    /// Where the window comes from.
    pub window_source: Option<String>,
    /// The outcome of the replay.
    pub verdict: VerdictResult,
    /// The calls of each model, in the order of its first call.
    pub models: Vec<ModelResult>,
    /// Where the tools of the agent come from; null if nothing declares them.
    pub tools_source: Option<String>,
    /// The counter of contexts.
    pub counter: CounterResult,
    /// The calls with recorded usage.
    pub usage_points: u64,
    /// The recorded calls.
    pub calls: u64,
    /// The runs.
    pub runs: u64,
    /// Skipped records, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// The first call whose context the policy changes.
    pub first_divergence: Option<u64>,
    /// The recorded contexts.
    pub before: TranscriptContexts,
    /// The contexts of the calls that are made both in the recording and under the policy: the baseline of `after`.
    pub compared: TranscriptContexts,
    /// The contexts that the policy sends.
    pub after: TranscriptContexts,
    /// The tokens that the policy saves at the calls that are made in both; negative if it adds more than it saves.
    pub tokens_saved: i64,
    /// Inserted summaries.
    pub summaries: u64,
    /// Summaries that failed.
    pub failed_summaries: u64,
    /// Inserted messages.
    pub injections: u64,
    /// Recorded calls after a stop in the same run.
    pub after_stop: u64,
    /// Tool results that are errors by their text only.
    pub inferred_errors: u64,
    /// What the calls cost.
    pub money: TranscriptMoney,
    /// What became of reasoning after changes; null unless the model binds reasoning to what precedes it.
    pub reasoning: Option<ReasoningResult>,
    /// The later calls that needed what rules had removed from the context.
    pub regret: RegretResult,
    /// What the replies and summaries of all runs would have used.
    pub spent: SpentResult,
    /// What was learned; null unless the policy uses a playbook.
    pub learned: Option<LearnedResult>,
    /// The checks of the invariants of a conversation.
    pub invariants: InvariantResult,
    /// The rules, in the order of the policy.
    pub rules: Vec<TranscriptRule>,
    /// The assertions.
    pub assertions: Vec<AssertionOutcome>,
    /// The calls before which the recorded context was reset.
    pub resets: Vec<u64>,
    /// Those of them at which the recorded harness compacted.
    pub compactions: Vec<CompactionResult>,
    /// The calls before which the recorded input fell for no recorded reason.
    pub unexplained_falls: Vec<u64>,
    /// Tool results that the recorded harness replaced with placeholders.
    pub harness_edits: Vec<ClearingResult>,
    /// With `--per-call`: the model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_call: Option<Vec<CallResult>>,
    /// With `--explain`: every rule at every call that was explained.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<ExplainedRule>,
}

/// The calls of a model.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelResult {
    /// The model; null if the recording names none.
    pub model: Option<String>,
    /// Its context window in tokens.
    pub window: Option<u64>,
    /// The number of its calls.
    pub calls: u64,
}

/// How contexts were counted.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CounterResult {
    /// The name of the token counter.
    #[schemars(extend("enum" = Tokens::COUNTERS.map(Tokens::word)))]
    pub name: String,
    /// The mean error of predicting the input of a call from the calls before it.
    pub error: Share,
    /// The median error of predicting how much the context grows, where it grows by at least 1,000 tokens. It is also taken for the error of
    /// removed content.
    pub content_error: Share,
    /// Where the size of the system prompt and the tools comes from.
    pub overhead_source: String,
}

/// What became of reasoning after changes.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasoningResult {
    /// What the host does with it.
    #[schemars(extend("enum" = ReasoningHandling::ALL.map(ReasoningHandling::word)))]
    pub handling: String,
    /// The tokens of reasoning that changes by rules made invalid.
    pub lost: u64,
    /// The calls that the provider would refuse, from 0.
    pub refused_calls: Vec<u64>,
}

/// What replies and summaries would have used.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SpentResult {
    /// Tokens of input and output.
    pub tokens: u64,
    /// Their cost; null if a price is unknown.
    pub cost: Amount,
    /// The replies without recorded usage, for which an estimate is used.
    pub estimated_calls: u64,
}

/// What was learned.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LearnedResult {
    /// The number of strategies before the recording.
    pub strategies_before: u64,
    /// The number of strategies at the end of the recording.
    pub strategies_after: u64,
    /// The number of strategies that were added.
    pub added: u64,
    /// The number of strategies that have another text or other counts.
    pub updated: u64,
    /// The number of strategies that were removed.
    pub removed: u64,
    /// The playbook at the end, in the form of a playbook file.
    #[schemars(with = "serde_json::Map<String, Json>")]
    pub at_end: Json,
}

/// The checks of the invariants of a conversation.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InvariantResult {
    /// The edits that were checked.
    pub checked: u64,
    /// The violations.
    pub broken: Vec<BrokenInvariant>,
}

/// A violation of an invariant.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BrokenInvariant {
    /// The call.
    pub call: u64,
    /// The invariant, in a word.
    pub invariant: String,
    /// What is wrong.
    pub message: String,
}

/// An assertion on a transcript.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AssertionOutcome {
    /// The assertion as given.
    pub expression: String,
    /// Whether it holds.
    pub is_met: bool,
    /// What was seen, in words.
    pub seen: String,
    /// The call at which it was decided.
    pub call: Option<u64>,
}

impl ReplayResult {
    /// The replay as a result.
    pub fn result(&self) -> TranscriptResult {
        TranscriptResult {
            per_call: CallResult::all(&self.trace),
            explained: rule_history::results(&self.trace),
            ..TranscriptResult::figures_of(self)
        }
    }
}

impl TranscriptResult {
    /// The result of a replay without what is listed of each call.
    pub(in super::super) fn figures_of(replay: &ReplayResult) -> Self {
        let trace = &replay.trace;
        let calls = |calls: &[usize]| calls.iter().copied().map(number).collect();
        Self {
            id: replay.id.clone(),
            file: replay.file.clone(),
            format: trace.format.to_owned(),
            model: trace.model.as_ref().map(ToString::to_string),
            window: trace.window.map(|(window, _)| window),
            window_source: trace.window.map(|(_, source)| source.word().to_owned()),
            verdict: VerdictFigures::of(trace).into(),
            models: models(trace),
            tools_source: trace.tools_source.map(ToolsSource::word).map(str::to_owned),
            counter: CounterResult {
                name: trace.counter.name.to_owned(),
                error: trace.counter.error.into(),
                content_error: trace.counter.content.median.into(),
                overhead_source: trace.counter.overhead.word().to_owned(),
            },
            usage_points: number(trace.counter.usage_points),
            calls: number(trace.call_count()),
            runs: number(trace.runs),
            skipped: trace.skipped.clone(),
            first_divergence: trace.first_divergence.map(number),
            before: trace.before().into(),
            compared: trace.compared().into(),
            after: trace.after().into(),
            tokens_saved: signed(trace.saved()),
            summaries: number(trace.summaries),
            failed_summaries: number(trace.failures.len()),
            injections: number(trace.injections),
            after_stop: number(trace.after_stop),
            inferred_errors: number(trace.observed.inferred_errors),
            money: TranscriptMoney::of(trace),
            reasoning: trace.reasoning.map(|handling| ReasoningResult {
                handling: handling.word().to_owned(),
                lost: trace.rules.iter().map(|rule| rule.money.reasoning_lost).sum(),
                refused_calls: calls(&trace.refused),
            }),
            regret: RegretResult::of(trace),
            spent: SpentResult {
                tokens: trace.spent.tokens,
                cost: trace.spent.cost.into(),
                estimated_calls: trace.spent.estimated,
            },
            learned: trace.learned.as_ref().map(LearnedResult::of),
            invariants: InvariantResult::of(trace),
            rules: TranscriptRule::all(trace),
            assertions: replay.assertions.iter().map(AssertionOutcome::of).collect(),
            resets: trace.resets.iter().map(|reset| number(reset.call)).collect(),
            compactions: CompactionResult::all(trace),
            unexplained_falls: calls(&trace.drops),
            harness_edits: trace.clearings.iter().map(ClearingResult::of).collect(),
            per_call: None,
            explained: Vec::new(),
        }
    }

    /// Whether an assertion does not hold or an invariant is broken.
    pub(in super::super) fn has_findings(&self) -> bool {
        !self.invariants.broken.is_empty() || self.assertions.iter().any(|assertion| !assertion.is_met)
    }

    /// What happens besides edits.
    pub(super) fn events(&self) -> EventCounts {
        EventCounts {
            summaries: self.summaries,
            failed_summaries: self.failed_summaries,
            injections: self.injections,
            invariants_broken: number(self.invariants.broken.len()),
        }
    }
}

fn models(trace: &Trace) -> Vec<ModelResult> {
    let model = |one: &ModelCalls| ModelResult {
        model: one.model.as_ref().map(ToString::to_string),
        window: one.window,
        calls: number(one.calls),
    };
    trace.models.iter().map(model).collect()
}

impl LearnedResult {
    fn of(learned: &Learned) -> Self {
        Self {
            strategies_before: number(learned.before.len()),
            strategies_after: number(learned.after.len()),
            added: number(learned.added()),
            updated: number(learned.changed()),
            removed: number(learned.removed()),
            at_end: serde_json::json!(learned.after),
        }
    }
}

impl InvariantResult {
    fn of(trace: &Trace) -> Self {
        let broken = trace.invariants.broken.iter().map(|(call, violation)| BrokenInvariant {
            call: number(*call),
            invariant: violation.invariant.word().to_owned(),
            message: violation.message.0.to_string(),
        });
        Self { checked: number(trace.invariants.checked), broken: broken.collect() }
    }
}

impl AssertionOutcome {
    fn of(assertion: &AssertionResult) -> Self {
        Self {
            expression: assertion.text.clone(),
            is_met: assertion.verdict.is_met,
            seen: assertion.verdict.actual.clone(),
            call: assertion.verdict.at.map(number),
        }
    }
}
