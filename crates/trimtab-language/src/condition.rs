//! Evaluates conditions for given facts, and decides whether they can hold at all.
//!
//! `evaluate` computes whether a condition of a checked policy holds for given facts. `decide` proves that a condition
//! never holds or always holds, or finds values of the facts for which it does. The module does not depend on
//! conversations or plans.
//!
//! A condition combines *tests*, which compare one fact with constants, so only the order of the fact and its constants
//! matters. Several facts may be computed from one hidden variable, the *source* of their tests. `problem` numbers the tests of
//! some conditions and finds for each source its *axis*: the source with the *thresholds* and texts that it is compared with.
//! `cell` picks one value from each interval between thresholds, a *cell*. `window` lists enough context windows to order the
//! thresholds in every possible way, `constraint` states the relations between two sources, and `whole` those between shares
//! that add up to 100%. `search` looks for a combination of cells for which the condition holds. The evaluator confirms every
//! witness.

mod assumptions;
mod boundary;
mod cell;
mod constraint;
mod decide;
mod due;
mod evaluate;
mod formula;
mod grid;
mod iterations;
mod problem;
mod redundant;
mod search;
mod source;
mod structural;
#[cfg(test)]
mod tests;
mod threshold;
mod whole;
mod window;
mod witness;

pub use assumptions::Assumptions;
pub use boundary::boundary;
pub use decide::{Decision, Implication, SearchResult, decide, find, gap, implies, overlap};
pub use due::{due, from_iteration, until_iteration};
pub use evaluate::{changed, holds, read, test, tokens};
pub use iterations::{Iterations, iterations, turning_points};
pub use redundant::{Redundancy, Redundant, redundant};
pub use source::is_same;
pub use window::LEAST_WINDOW;
pub use witness::Witness;
