//! Conditions: evaluated where facts are known, and decided where they are not.
//!
//! In: conditions of checked policies, and facts. Out: truth at a moment. It does not know conversations, rules or plans.

mod evaluate;

pub use evaluate::{holds, read, test, tokens};
