//! Trees into checked policies: names, types, units, labels, domains and phases.
//!
//! In: a tree. Out: a checked policy, or diagnostics, all at once. It is the only maker of a [`Policy`].
//! It reads no text: what an author wrote reaches it through the tree.

mod agent;
mod call;
mod condition;
mod constant;
pub mod error;
mod file;
mod narrowing;
mod policy;
mod reading;
mod rule;
mod scope;
mod template;

pub use file::check;
pub use policy::{
    Action, Agent, Argument, Checked, Comparison, Condition, Failing, Guard, OnFailure, Operand, Piece, Policy,
    Reading, Relation, Rule, Template, Test,
};
