//! Parses policies: policy text with the grammar, YAML lists of effects into the same tree.
//!
//! Parsing never fails; whatever cannot be parsed becomes a broken node and a diagnostic. This module knows the shapes of
//! the language only, no fact, effect, label, phase or unit by name.

mod assertion;
mod brace;
mod build;
mod build_expression;
mod build_rule;
mod build_term;
mod code;
mod comment;
mod cursor;
pub mod error;
mod expected;
mod failure;
mod grammar;
mod keyword;
mod literal;
mod number;
mod operator;
mod parse;
mod patched;
pub mod quote;
mod recover;
mod scope;
pub mod spans;
mod suggestion;
mod text;
mod token;
pub mod tree;
pub mod walk;
pub mod yaml;

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Source, SourceFormat};

pub use assertion::parse_expectation;
pub use keyword::{Keyword, Position, is_name};
pub use literal::parse_amount;
pub use parse::accepts;
use tree::{Comment, File};

/// Parses a source into a tree and its syntax errors. Settings of other systems are read by `trimtab-analysis`.
pub fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    match source.format() {
        SourceFormat::Yaml => yaml::parse(source),
        SourceFormat::Policy | SourceFormat::Settings | SourceFormat::SystemSettings => parse::parse(source),
    }
}

/// The comments of a source in order. Of a YAML source only those addressed to this tool: `# trimtab: …`.
pub fn comments(source: &Source) -> Vec<Comment> {
    match source.format() {
        SourceFormat::Yaml => yaml::comments(source),
        SourceFormat::SystemSettings => Vec::new(),
        SourceFormat::Policy | SourceFormat::Settings => comment::comments(source),
    }
}
