//! The language: its vocabulary, checked policies, conditions that are evaluated and decided, and plans.
//!
//! An internal crate of `trimtab`; not a public API.

// layer 4: policies to plans; conditions evaluated and decided
pub mod condition;
pub mod plan;

// layer 3: trees to checked policies
pub mod check;

// layer 2: the vocabulary
pub mod effect;
pub mod fact;
pub mod guard;
pub mod phase;
