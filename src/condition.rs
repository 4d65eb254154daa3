//! Conditions: evaluated where facts are known, and decided where they are not.
//!
//! In: conditions of checked policies, and facts or what is known of a host. Out: truth at a moment; or whether there is
//! a moment at all at which a condition holds, with the values of the facts. It does not know conversations or plans.
//!
//! A condition combines tests of one fact with a constant, so a fact matters only through the side of each constant
//! that it is on. `cell` takes one value for each side, `window` the windows that order the constants in all
//! possible ways, `relation` what facts say of each other, and `search` looks for a choice under which the
//! condition holds. What it finds is held against the evaluator before anybody sees it.

mod cell;
mod constraint;
mod decide;
mod due;
mod evaluate;
mod follow;
mod formula;
mod grid;
mod problem;
mod redundant;
mod search;
mod source;
#[cfg(test)]
mod tests;
mod threshold;
mod touch;
mod window;
mod witness;
mod world;

pub use decide::{Answer, Found, Verdict, decide, find, gap, implies, overlap};
pub use due::{due, from_iteration};
pub use evaluate::{holds, read, test, tokens};
pub use redundant::{Because, Redundant, redundant};
pub use source::is_same;
pub use touch::boundary;
pub use window::LEAST_WINDOW;
pub use witness::Witness;
pub use world::World;
