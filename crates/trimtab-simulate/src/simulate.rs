//! Replays a plan over a recorded transcript.
//!
//! A replay takes a plan, a transcript, options and a summariser. It returns a trace: the recorded context and the context
//! that the plan would have sent at each call, and what each rule did. It is an open-loop replay: the recorded replies do
//! not change. `imitation` replays recorded compactions without the usage recorded after them, and compares the result with that
//! usage to measure the error. The module does no I/O, except through the summariser that the caller passes, and does not render
//! traces.

mod accuracy;
mod attribution;
mod billed_calls;
mod billing;
mod cache_cause;
mod call;
mod call_sizes;
mod call_sums;
mod compared;
mod confirmations;
mod counter_fit;
mod dry_run;
mod errors;
mod extract;
mod fact_series;
mod imitation;
mod interval;
mod learned_strategies;
mod ledger;
mod missing_history;
mod model_caches;
mod model_calls;
mod money;
mod options;
mod pricing;
mod reasoning_handling;
mod recorded_cache;
mod recorded_tokens;
mod recording_observations;
mod regret;
mod replay;
mod replay_inputs;
mod replies;
mod request_prefix;
mod rule_trace;
mod segment;
mod series;
mod summariser;
mod timeline;
mod trace;
mod unknown;
mod verdict;
mod view_savings;

pub use trimtab_run::run::{ToolsSource, WindowSource};

pub use accuracy::{Accuracy, Coverage, ImitatedCount, MEASURES, Measure};
pub use cache_cause::{CACHE_CAUSES, CacheCause};
pub use call::Call;
pub use call_sums::Series;
pub use compared::Compared;
pub use confirmations::Confirmations;
pub use counter_fit::{Growth, OverheadSource, Prediction};
pub use dry_run::dry_run;
pub use errors::Errors;
pub use extract::Extract;
pub use fact_series::FactSeries;
pub use imitation::{IMITATED_EVENTS, ImitatedEvent, Imitation, Predicted, imitations};
pub use interval::{ERROR_SOURCES, ErrorAmounts, ErrorSource, Estimated, RuleSaving};
pub use learned_strategies::Learned;
pub use model_calls::ModelCalls;
pub use money::{Bill, CacheBreak, CacheCheck, CallBill, CallCost, Money, PricedShare, RuleMoney, StablePrefix};
pub use options::{Options, Sent, Tokens};
pub use pricing::{CallPrice, Pricing};
pub use reasoning_handling::ReasoningHandling;
pub use recorded_cache::{CacheDue, CacheReliability, RecordedBreak, RecordedCache};
pub use recording_observations::Observed;
pub use regret::{Quote, Regret, RepeatedCall};
pub use replay::{replay, replay_with};
pub use replay_inputs::{ContentError, Counting, ReplayInputs, check_counter};
pub use rule_trace::{IdleCount, RuleTrace};
pub use series::UsageDrop;
pub use summariser::{ConstantSummariser, FailingSummariser, Summariser};
pub use timeline::{
    AddedMessage, Composition, LeftOut, PartChange, PartKind, Timeline, TimelineMessage, TimelinePart, TimelineRequest,
};
pub use trace::{CallExplanation, Clearing, Invariants, MissingTool, Reset, ResetCause, Trace, TracedEvent};
pub use unknown::UnknownFact;
pub use verdict::Verdict;
