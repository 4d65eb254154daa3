//! Texts of policies into trees: the grammar, recovery from mistakes, comments.
//!
//! In: a source text. Out: a tree and diagnostics; parsing never fails.
//! It knows shapes only: no fact, effect, label, phase or unit by name.

pub mod tree;
pub mod yaml;
