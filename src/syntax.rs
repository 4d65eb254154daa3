//! Texts of policies into trees: the grammar, recovery from mistakes, comments.
//!
//! In: a source text. Out: a tree and diagnostics; parsing never fails.
//! It knows shapes only: no fact, effect, label, phase or unit by name.

mod brace;
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
mod mend;
mod operator;
mod parse;
mod recover;
mod slip;
mod text;
pub mod tree;
pub mod walk;
pub mod yaml;

pub use expectation::parse_expectation;
pub use expected::CLAUSES;
pub use parse::accepts;

use crate::diagnostic::Diagnostic;
use crate::source::{Source, SourceFormat};
use tree::{Comment, File};

/// Parses a source into a tree and its syntax errors. Parsing never fails: a stretch that cannot be parsed becomes a
/// broken node in the tree and a diagnostic.
pub fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    match source.format() {
        SourceFormat::Yaml => yaml::parse(source),
        SourceFormat::Policy | SourceFormat::Settings => parse::parse(source),
    }
}

/// The comments of a source in order. Of a YAML source only those addressed to this tool: `# trimtab: …`.
pub fn comments(source: &Source) -> Vec<Comment> {
    match source.format() {
        SourceFormat::Yaml => yaml::comments(source),
        SourceFormat::Policy | SourceFormat::Settings => comment::comments(source),
    }
}
