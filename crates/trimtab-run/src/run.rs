//! Runs a plan over a conversation: conditions, guards, state, and the [`Driver`] that replays and live sessions share.
//!
//! A [`Step`] takes a plan, the state so far, a conversation and the current sizes, times and budget. It edits the conversation and
//! returns receipts, signals and requests for summaries. It does no I/O and cannot fail because of a policy.
//! A replay supplies summaries at once, a live session when they are there.

mod answer;
mod arrived_tokens;
mod bound_reasoning;
mod cache_lifetime;
mod clock;
mod driver;
mod environment;
mod explanation;
mod fields;
mod firing;
mod guard;
mod learning;
mod meter;
mod model_choice;
mod outcome;
mod overrides;
mod request_head;
mod requests;
mod resolution;
mod rule_state;
mod search;
mod session;
mod spending;
mod state;
mod step;
mod supply;
mod texts;
mod window_source;

pub use answer::Answer;
pub use arrived_tokens::ArrivedTokens;
pub use bound_reasoning::{BoundReasoning, InvalidReasoning};
pub use clock::Clock;
pub use driver::{CallStart, ClearedResult, Driver, Event, PhaseOptions};
pub use environment::Environment;
pub use explanation::{ConditionTrace, Explanation, RuleResult};
pub use firing::{Firing, IdleAction};
pub use learning::{Learning, Reflection};
pub use meter::Meter;
pub use model_choice::ModelChoice;
pub use outcome::{Confirmation, DueRule, Outcome, RuleSignal, Stop};
pub use overrides::{FactOverride, FactOverrides};
pub use requests::{Comparison, Requests};
pub use resolution::{Declared, Resolution, ToolsSource, added_tool, tool_tokens};
pub use rule_state::{RuleState, ScopedState};
pub use session::MAX_BRANCHES;
pub use session::{CallId, Next, QuestionId, RestoreError, SavedSession, Session};
pub use session::{Unlogged, Unrecorded, message_digest};
pub use state::State;
pub use step::{Step, StepContext, StepStatus};
pub use supply::{FactError, FactValue, set_fact};
pub use window_source::WindowSource;
