//! Traces, diagnostics and the vocabulary made readable, for people and for machines.
//!
//! In: a trace or diagnostics, and what the reader's screen can show. Out: text.
//! It does not print, and does not know where its text goes.

mod assertion;
mod diagnostics;
mod entry;
mod explanation;
mod look;
mod simulation;
mod spark;
mod table;
mod testing;
mod totals;

pub use assertion::{Asserted, assertions};
pub use diagnostics::diagnostics_json;
pub use entry::{Entry, entries, reference};
pub use explanation::explanation;
pub use look::Look;
pub use simulation::{Replayed, context_json, simulation, simulation_json, transcript_json};
pub use testing::{Form as TestForm, Tested, Testing, tests};
