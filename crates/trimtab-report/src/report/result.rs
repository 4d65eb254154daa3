//! The output types of all commands.
//!
//! They serialize to the JSON of `--format json` and deserialize from it, and the comments of their fields are the descriptions in its JSON
//! Schema. Text, Markdown, pages and CSV of simulations read the same types, so that each value is computed and named once.

mod accuracy;
mod arms;
mod bill;
mod cache;
mod call;
mod ci;
mod contexts;
mod costs;
mod counts;
mod definitions;
mod difference;
mod file_statistics;
mod finding;
mod harness;
mod history;
mod import;
mod inspection;
mod need;
mod place;
mod policy_savings;
mod problems;
mod regret;
mod rule;
mod simulation;
mod statistics;
mod stored_recordings;
mod suggested_settings;
mod suggestions;
mod sweep;
mod testing;
mod total;
mod transcript;

pub use accuracy::{
    AccuracyResult, CalibrationResult, ErrorSourceResult, EventFigures, GroupAccuracy, HeldEvents, MeasureErrors,
};
pub use arms::{ArmDifference, ArmResult, ArmsResult};
pub use bill::{
    Bill, Bills, Break, CallBill, PricedCalls, StablePrefixResult, TotalMoney, TranscriptMoney, UnpricedCalls,
};
pub use cache::{BreakSumResult, BreaksResult, CacheReliabilityResult, CacheResult, RecordedBreakResult};
pub use call::{CallResult, ExplainedRule};
pub use ci::{CiPart, CiResult, CiSimulationResult, CiTrouble};
pub use contexts::{Contexts, TranscriptContexts};
pub use costs::{CostsResult, GroupCosts, NamedCosts};
pub use counts::{EventCounts, Regret};
pub use definitions::{DefinitionsResult, UnusedToolResult};
pub use difference::{
    BeforeAfter, ComparedName, ComparedReplay, ComparedReplays, ComparedRule, DifferenceResult, FiringChange,
    HostChange,
};
pub use file_statistics::{
    FileResult, FilesResult, FormatResult, FormatsResult, HarnessCallResult, RecordingCounts, StatisticsResult,
};
pub use finding::{
    EditResult, FindingCounts, FindingLabel, FindingResult, FindingSpan, FindingsResult, FixResult, SuppressedFinding,
};
pub use harness::{ClearingResult, CompactionResult};
pub use history::{
    CallHistoryResult, ContentGroupResult, ContentResult, HistoriesResult, HistoryResult, HistoryShown, PartResult,
    ToolHistoryResult,
};
pub use import::{ImportResult, ImportedOption};
pub use inspection::{
    BasePolicy, ClauseResult, DeclaredFact, DisabledRule, GuardMemory, HostValue, InspectedAgent, InspectedPolicy,
    InspectedRule, InspectionResult, OverridingPolicy,
};
pub use need::{NeededFact, NeededPrompt, PhaseRules, ThresholdResult};
pub use place::Place;
pub use policy_savings::PolicySavings;
pub use problems::{ProblemResult, ProblemSummary, ProblemsResult};
pub use regret::{QuoteResult, RegretResult, RepeatedResult};
pub use rule::{Ends, IdleResult, RuleFigures, RuleInterval, TotalRule, TranscriptRule, UnknownResult};
pub(super) use simulation::SCHEMA_VERSION;
pub use simulation::{PolicyName, PolicyResults, SimulationResult, SimulationResults};
pub use statistics::{CodeCount, CodeStatistics};
pub use stored_recordings::{StoredRecordings, StoresResult};
pub use suggested_settings::{AdjustmentOutcome, SuggestedSettings};
pub use suggestions::{
    ChangedFileCount, CompactionCount, ObservedResult, PauseCount, PolicyRuleResult, ResultCount, RuleAlone,
    SentContent, StreakCount, SuggestResult, SuggestedPolicyResult, SuggestedRuleResult,
};
pub use sweep::{CombinationResult, HalfCounts, HalfResult, LeadResult, PartialAxis, SweepResult, SweptPolicy};
pub use testing::{
    ConditionResult, CoverageGap, CoverageResult, FailureResult, TestOutcome, TestSpan, TestsResult, TriedRule,
};
pub use total::{SummedAssertionResult, TotalResult};
pub use transcript::{
    AssertionOutcome, BrokenInvariant, CounterResult, InvariantResult, LearnedResult, ModelResult, ReasoningResult,
    SpentResult, TranscriptResult,
};

pub use super::figure::{Amount, ByName, Share};
pub use super::findings::UnreadFile;
pub use super::inspection::Window;
pub use super::replay_result::ReplayError;
pub use super::sweep::SweptParameter;
pub use super::testing::TestCounts;
pub use super::verdict::{
    Caveats, Changes, NamedCost, Pair, Priced, Range, Stopped, VerdictFigures, VerdictOutcome, VerdictResult,
};
