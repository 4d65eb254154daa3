//! Texts of policies into trees: the grammar, recovery from mistakes, comments.
//!
//! In: a source text. Out: a tree and diagnostics; parsing never fails.
//! It knows shapes only: no fact, effect, label, phase or unit by name.

mod build;
mod build_expression;
mod build_rule;
mod build_term;
mod code;
mod comment;
mod cursor;
mod depth;
pub mod error;
mod expectation;
mod expected;
mod lexeme;
mod literal;
mod operator;
mod parse;
mod recover;
mod text;
pub mod tree;
pub mod walk;
pub mod yaml;

pub use comment::comments;
pub use expectation::expectation;
pub use parse::{parse, recognise};
