//! The verdict on a policy: what it does to recordings, in the same words and figures in every output format.
//!
//! [`VerdictFigures`] are the figures of one transcript or the sums over several, [`VerdictOutcome`] is the verdict in
//! one of a few fixed phrases, and [`VerdictBlock`] has the texts that people read first, in the order of every output
//! format.

mod block;
mod figures;
mod outcome;
mod result;
mod text;

pub(super) use block::{Subject, VerdictBlock};
pub use figures::{Caveats, Changes, NamedCost, Pair, Priced, Range, Stopped, VerdictFigures};
pub use outcome::VerdictOutcome;
pub use result::VerdictResult;

#[cfg(test)]
mod tests;
