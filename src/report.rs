//! Traces, diagnostics and the vocabulary made readable, for people and for machines.
//!
//! In: a trace or diagnostics, and what the reader's screen can show. Out: text.
//! It does not print, and does not know where its text goes.

mod diagnostics;
mod entry;
mod explanation;
mod look;
mod patch;
mod simulation;
mod spark;
mod table;
mod totals;

pub use diagnostics::diagnostics_json;
pub use entry::{Entry, entries, reference};
pub use explanation::explanation;
pub use look::Look;
pub use patch::patch;
pub use simulation::{Replayed, context_json, simulation, simulation_json, transcript_json};
