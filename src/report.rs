//! Traces, diagnostics and the vocabulary made readable, for people and for machines.
//!
//! In: a trace or diagnostics, and what the reader's screen can show. Out: text.
//! It does not print, and does not know where its text goes.

mod diagnostics;
mod entry;
mod explanation;
mod inspection;
mod look;
mod simulation;
mod spark;
mod table;
mod totals;
mod written;

pub use diagnostics::diagnostics_json;
pub use entry::{Entry, entries, reference};
pub use explanation::explanation;
pub use inspection::{Inspection, Window, inspection, inspection_graph, inspection_json};
pub use look::Look;
pub use simulation::{Replayed, context_json, simulation, simulation_json, transcript_json};
