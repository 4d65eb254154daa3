//! Results as structs: the one place where a figure of a machine form is named.
//!
//! In: replays and their sums. Out: structs that serialize to the JSON of `trimtab simulate`, deserialize from it, and know their
//! JSON Schema, in which the comments of fields are the descriptions. Text, Markdown, pages and CSV read them too.
//!
//! A figure is one field, and the expression that fills it.

mod bill;
mod call;
mod ci;
mod contexts;
mod counts;
mod difference;
mod finding;
mod harness;
mod inspection;
mod need;
mod place;
mod regret;
mod rule;
mod simulation;
mod statistics;
mod testing;
mod total;
mod transcript;

pub use bill::{
    Bill, Bills, Break, CallBill, PricedCalls, StablePrefixResult, TotalMoney, TranscriptMoney, UnpricedCalls,
};
pub use call::{CallResult, ExplainedRule};
pub use ci::{CiPart, CiResult, CiSimulationResult, CiTrouble};
pub use contexts::{Contexts, TranscriptContexts};
pub use counts::{EventCounts, Regret};
pub use difference::{
    BeforeAfter, ComparedName, ComparedReplay, ComparedReplays, ComparedRule, DifferenceResult, FiringChange,
    HostChange,
};
pub use finding::{
    EditResult, FindingCounts, FindingLabel, FindingResult, FindingSpan, FindingsResult, FixResult, SuppressedFinding,
};
pub use harness::{ClearingResult, CompactionResult};
pub use inspection::{
    BasePolicy, ClauseResult, DeclaredFact, DisabledRule, GuardMemory, HostValue, InspectedAgent, InspectedPolicy,
    InspectedRule, InspectionResult, OverridingPolicy,
};
pub use need::{NeededFact, NeededPrompt, PhaseRules, ThresholdResult};
pub use place::Place;
pub use regret::{QuoteResult, RegretResult, RepeatedResult};
pub use rule::{Ends, IdleResult, RuleFigures, RuleInterval, TotalRule, TranscriptRule, UnknownResult};
pub(super) use simulation::SCHEMA_VERSION;
pub use simulation::{PolicyName, PolicyResults, SimulationResult, SimulationResults};
pub use statistics::{CodeCount, StatisticsResult};
pub use testing::{
    ConditionResult, CoverageGap, CoverageResult, FailureResult, TestOutcome, TestSpan, TestsResult, TriedRule,
};
pub use total::{SummedAssertionResult, TotalResult};
pub use transcript::{
    AssertionOutcome, BrokenInvariant, CounterResult, InvariantResult, LearnedResult, ModelResult, ReasoningResult,
    SpentResult, TranscriptResult,
};

pub use super::figure::{Amount, Share};
pub use super::findings::UnreadFile;
pub use super::inspection::Window;
pub use super::replay_result::ReplayError;
pub use super::testing::TestCounts;
pub use super::verdict::{
    Caveats, Changes, NamedCost, Pair, Priced, Range, Stopped, VerdictFigures, VerdictOutcome, VerdictResult,
};
