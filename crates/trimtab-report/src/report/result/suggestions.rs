//! What filled the contexts of recordings, and the policy that is suggested for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::{
    ChangedFiles, Compactions, ContentKind, Observations, Pauses, Purpose, RedundantResults, Results, SimulatedPolicy,
    SimulatedRule, Streaks, UserTexts,
};
use trimtab_base::quantity::Decimal;

use super::{PolicySavings, SCHEMA_VERSION, SuggestedSettings};
use crate::report::figure::{Amount, number, signed};
use crate::report::replay_result::ReplayError;
use crate::report::suggestions::{RULES, SuggestionOutcome, SuggestionReport, SuggestionResult, ranked, reason};

/// The result of `trimtab suggest`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SuggestResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// What the recordings hold.
    pub observed: ObservedResult,
    /// What rules are chosen by, tokens if fewer than half of them have a price; null if there are no suggestions.
    #[schemars(extend("enum" = ["cost", "tokens", null]))]
    pub objective: Option<String>,
    /// The rules that address something in the recordings.
    pub suggestions: Vec<SuggestedRuleResult>,
    /// What the suggested policy would have done; null if there is none.
    pub simulated: Option<SuggestedPolicyResult>,
    /// The text of the suggested policy.
    pub policy: Option<String>,
    /// The suggested settings of a system; null without `--for`.
    pub settings: Option<SuggestedSettings>,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// What recordings hold.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ObservedResult {
    /// The transcripts.
    pub transcripts: u64,
    /// The model calls.
    pub calls: u64,
    /// The tokens of all contexts.
    pub tokens_sent: u64,
    /// The largest context in tokens.
    pub peak_tokens: u64,
    /// What was sent, that with the most tokens first.
    pub content: Vec<SentContent>,
    /// The tool results that are large, of at least 10,000 characters or fewer in a small window.
    pub large_results: ResultCount,
    /// The tool results that newer identical calls returned again.
    pub duplicate_results: ResultCount,
    /// The results of reads of a file that was read or written again later.
    pub superseded_file_reads: ResultCount,
    /// The long texts of persons, of at least 4,000 characters or fewer in a small window, before the last message of a person.
    pub long_user_texts: ResultCount,
    /// The rows of at least three identical calls with the same result.
    pub repeated_calls: StreakCount,
    /// The rows of at least three results that are errors.
    pub failures_in_a_row: StreakCount,
    /// The compactions by the recorded harness.
    pub compactions: CompactionCount,
    /// The files that had been changed before these compactions.
    pub changed_files: ChangedFileCount,
    /// The pauses in which the prompt cache expired.
    pub pauses: PauseCount,
}

/// Content of one kind.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SentContent {
    /// What it is.
    pub content: String,
    /// The tool, of tool results.
    pub tool: Option<String>,
    /// Its tokens, summed over the calls that sent them.
    pub tokens: u64,
}

/// Some tool results, or some texts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ResultCount {
    /// Their number.
    pub count: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// Rows of calls or results.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StreakCount {
    /// Their number.
    pub count: u64,
    /// The length of the longest.
    pub longest: u64,
}

/// Compactions by the recorded harness.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CompactionCount {
    /// Their number.
    pub count: u64,
    /// The tokens that left the context.
    pub freed_tokens: u64,
    /// The tokens that the first calls after them processed without the cache.
    pub rewritten_tokens: u64,
}

/// Files that the agent had changed before the recorded harness compacted.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChangedFileCount {
    /// The compactions before which files had been changed.
    pub compactions: u64,
    /// The files; each counts once for each compaction.
    pub files: u64,
    /// Those that calls read or changed again after the compaction.
    pub used_again: u64,
}

/// Pauses in which the prompt cache expired.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PauseCount {
    /// Their number.
    pub count: u64,
    /// The longest in seconds.
    pub longest_seconds: u64,
    /// The tokens of the contexts after them.
    pub tokens: u64,
}

/// A rule that addresses something in the recordings.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SuggestedRuleResult {
    /// Its name.
    pub rule: String,
    /// What it does.
    pub summary: String,
    /// What it is for.
    #[schemars(extend("enum" = ["saving", "precaution", "message"]))]
    pub purpose: String,
    /// What it addresses, as a sentence with figures.
    pub observed: String,
    /// The lines of its best variant.
    pub clauses: Vec<String>,
    /// Whether the policy contains it, and why not.
    #[schemars(extend("enum" = [
        "kept", "never_fires", "saves_nothing", "adds_nothing", "within_error", "never_fires_with_others", "split_up",
    ]))]
    pub outcome: String,
    /// Why it is left out, in terms of the objective; null if it is kept.
    pub reason: Option<String>,
    /// What a policy of this rule alone would have done.
    pub alone: RuleAlone,
}

/// What a policy of one rule would have done.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RuleAlone {
    /// What it saves.
    #[serde(flatten)]
    pub savings: PolicySavings,
    /// How often the rule fires.
    pub fired: u64,
    /// The later calls that are made again or quote what the rule removed.
    pub needed_later: u64,
}

/// What the suggested policy would have done.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SuggestedPolicyResult {
    /// What it saves.
    #[serde(flatten)]
    pub savings: PolicySavings,
    /// Its rules.
    pub rules: Vec<PolicyRuleResult>,
}

/// What a rule of the suggested policy would have done.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PolicyRuleResult {
    /// Its name.
    pub rule: String,
    /// How often it fires.
    pub fired: u64,
    /// How many edits it makes.
    pub edits: u64,
    /// The tokens that it saves, negative if it adds some.
    pub tokens_saved: i64,
    /// The price of the tokens that it saves, in US dollars; null if no price is known.
    pub cost_saved: Amount,
    /// What it makes more expensive, in US dollars; null if no price is known.
    pub cost_caused: Amount,
    /// The later calls that are made again or quote what the rule removed.
    pub needed_later: u64,
}

impl From<&SuggestionReport<'_>> for SuggestResult {
    fn from(report: &SuggestionReport<'_>) -> Self {
        let objective = report.results.first().map(|one| if one.alone.decides_by_cost() { "cost" } else { "tokens" });
        Self {
            schema_version: SCHEMA_VERSION,
            observed: report.observed.into(),
            objective: objective.map(str::to_owned),
            suggestions: report.results.iter().map(SuggestedRuleResult::from).collect(),
            simulated: report.simulated.map(|simulated| SuggestedPolicyResult::of(simulated, report.results)),
            policy: report.policy.map(str::to_owned),
            settings: report.settings.map(|settings| SuggestedSettings::of(settings, report)),
            errors: report.errors.to_vec(),
        }
    }
}

impl From<&Observations> for ObservedResult {
    fn from(observed: &Observations) -> Self {
        Self {
            transcripts: number(observed.transcripts),
            calls: number(observed.calls),
            tokens_sent: unsigned(observed.sent),
            peak_tokens: observed.peak,
            content: ranked(observed).into_iter().map(SentContent::of).collect(),
            large_results: ResultCount::large(observed.results),
            duplicate_results: observed.duplicates.into(),
            superseded_file_reads: observed.superseded.into(),
            long_user_texts: observed.user_texts.into(),
            repeated_calls: (&observed.repeats).into(),
            failures_in_a_row: (&observed.failures).into(),
            compactions: observed.compactions.into(),
            changed_files: observed.changed_files.into(),
            pauses: observed.pauses.into(),
        }
    }
}

impl SentContent {
    fn of((kind, tokens): (&ContentKind, u128)) -> Self {
        let tool = if let ContentKind::Result(tool) = kind { tool.as_ref() } else { None };
        Self { content: kind.words().to_owned(), tool: tool.map(ToString::to_string), tokens: unsigned(tokens) }
    }
}

impl ResultCount {
    fn large(results: Results) -> Self {
        Self { count: number(results.large), tokens: results.large_tokens }
    }
}

impl From<RedundantResults> for ResultCount {
    fn from(results: RedundantResults) -> Self {
        Self { count: number(results.count), tokens: results.tokens }
    }
}

impl From<UserTexts> for ResultCount {
    fn from(texts: UserTexts) -> Self {
        Self { count: number(texts.count), tokens: texts.tokens }
    }
}

impl From<ChangedFiles> for ChangedFileCount {
    fn from(files: ChangedFiles) -> Self {
        Self {
            compactions: number(files.compactions),
            files: number(files.changed),
            used_again: number(files.used_again),
        }
    }
}

impl From<&Streaks> for StreakCount {
    fn from(streaks: &Streaks) -> Self {
        Self { count: number(streaks.count), longest: number(streaks.longest) }
    }
}

impl From<Compactions> for CompactionCount {
    fn from(all: Compactions) -> Self {
        Self { count: number(all.count), freed_tokens: all.freed, rewritten_tokens: all.rewritten }
    }
}

impl From<Pauses> for PauseCount {
    fn from(pauses: Pauses) -> Self {
        Self { count: number(pauses.count), longest_seconds: pauses.longest, tokens: pauses.tokens }
    }
}

impl From<&SuggestionResult> for SuggestedRuleResult {
    fn from(result: &SuggestionResult) -> Self {
        let only = result.alone.rules.first().cloned().unwrap_or_default();
        let purpose = match result.suggestion.purpose {
            Purpose::Saving => "saving",
            Purpose::Precaution => "precaution",
            Purpose::Message => "message",
        };
        Self {
            rule: result.rule.clone(),
            summary: result.suggestion.summary.to_owned(),
            purpose: purpose.to_owned(),
            observed: result.observed.clone(),
            clauses: result.clauses.lines().map(str::to_owned).collect(),
            outcome: result.outcome.word().to_owned(),
            reason: reason(result.outcome, &result.alone, RULES),
            alone: RuleAlone {
                savings: (&result.alone).into(),
                fired: number(only.fired),
                needed_later: number(only.needed_later),
            },
        }
    }
}

impl SuggestedPolicyResult {
    fn of(simulated: &SimulatedPolicy, results: &[SuggestionResult]) -> Self {
        let kept = results.iter().filter(|result| result.outcome == SuggestionOutcome::Kept);
        let has_cost = simulated.priced.is_known();
        let rules = kept.zip(&simulated.rules).map(|(result, rule)| PolicyRuleResult::of(result, rule, has_cost));
        Self { savings: simulated.into(), rules: rules.collect() }
    }
}

impl PolicyRuleResult {
    fn of(result: &SuggestionResult, rule: &SimulatedRule, has_cost: bool) -> Self {
        let cost = |cost: Decimal| has_cost.then_some(cost).into();
        Self {
            rule: result.rule.clone(),
            fired: number(rule.fired),
            edits: number(rule.edits),
            tokens_saved: signed(rule.tokens_saved),
            cost_saved: cost(rule.cost_saved),
            cost_caused: cost(rule.cost_caused),
            needed_later: number(rule.needed_later),
        }
    }
}

fn unsigned(tokens: u128) -> u64 {
    u64::try_from(tokens).unwrap_or(u64::MAX)
}
