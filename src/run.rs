//! A plan against a conversation: conditions, guards, state, and the step that both worlds share.
//!
//! In: a plan, the state so far, a conversation and a moment's numbers. Out: the edited conversation, receipts,
//! signals, and questions to a summariser. It does no IO and cannot fail on an author's mistake.
//! The simulator answers its questions at once, an embedder when it can.

mod explanation;
mod fact_source;
mod fill;
mod guard;
mod meter;
mod outcome;
mod search;
mod state;
mod step;

pub use explanation::{Explained, Explanation, Finding};
pub use fact_source::{FactOverrides, Override};
pub use meter::Meter;
pub use outcome::{Firing, IdleAction, Notice, Outcome, Stop, Tried};
pub use state::{RuleState, State};
pub use step::{Answer, Pause, Setting, Step};
