//! The public API: compile policies, simulate them on transcripts, run them live, lint, fix, test and compare them.
//!
//! The main types wrap internal ones and keep their fields private. Structs and enums that report results have public fields and
//! are `#[non_exhaustive]`. No signature mentions a type of a third-party crate, so that the rest of the crate can change without
//! breaking the programs that embed it.
//!
//! A program can drive a [`Session`] itself and answer its questions, or let a `LiveSession` await summaries. Both prepare each
//! request: [`PreparedRequest`] of a session, `LiveRequest` of a live session. A [`RequestHandle`] says which request a reply
//! belongs to.

#[cfg(feature = "lint")]
mod diff;
mod format;
mod host;
mod host_event;
#[cfg(feature = "lint")]
mod lint;
#[cfg(feature = "engine")]
mod live;
mod model;
mod policy;
mod prepared;
mod recording;
mod reply;
mod session;
mod simulation;
#[cfg(feature = "lint")]
mod sweep;
#[cfg(feature = "lint")]
mod test;

#[cfg(feature = "lint")]
pub use diff::diff;
pub use format::format;
pub use host::Host;
#[cfg(feature = "lint")]
pub use lint::{FixedPolicy, LintOptionError, LintOptions, finding_formats, fix};
#[cfg(feature = "engine")]
pub use live::{LiveNext, LiveRequest, LiveSession, LiveUpdate, OpenError, StopReason};
pub use model::{CustomModel, ModelError};
pub use policy::{Plan, PlanError, PolicyFile, compile, compile_file, compile_with};
pub use prepared::{FailedSummary, PreparedRequest, RuleFiring};
pub use recording::{Transcript, read_transcripts, transcript_formats};
pub use reply::{ReplyReader, RequestHandle, StreamedReply};
pub use session::{Next, Question, Session};
pub use simulation::{SimulatedCall, SimulatedRule, Simulation, SimulationOptions, SummarySource, simulate};
#[cfg(feature = "lint")]
pub use sweep::{Sweep, SweepError, SweepOptions, sweep, sweep_axes};
