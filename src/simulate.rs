//! Replay: a plan over a recorded transcript.
//!
//! In: a plan, a transcript, options and a summariser. Out: a trace: for each call what was sent and what the plan
//! would have sent, and what each rule did. Recorded replies are held fixed: it is an open-loop replay.
//! It does not know how a trace is shown, and does no IO: a summariser that does is handed in.

mod basis;
mod clock;
mod extract;
mod fact_series;
mod options;
mod rehearse;
mod replay;
mod seen;
mod series;
mod spending;
mod stretch;
mod summariser;
mod trace;
mod unknown;
mod window;

pub use basis::{Basis, OverheadSource, Tokens, ToolsSource};
pub use extract::Extract;
pub use fact_series::FactSeries;
pub use options::{Options, Sent};
pub use rehearse::rehearse;
pub use replay::replay;
pub use seen::{Again, Seen};
pub use stretch::Fall;
pub use summariser::{Fails, Fixed, Summariser};
pub use trace::{
    Call, Clearing, Counting, Explained, IdleCount, Invariants, Reset, ResetCause, RuleTrace, Series, Totals, Trace,
};
pub use unknown::UnknownFact;
pub use window::WindowSource;
