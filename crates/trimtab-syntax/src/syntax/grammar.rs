//! The parser that pest derives from the grammar.

// The derive makes a public enum of rules; a module of its own keeps it inside this module.
mod derived {
    /// The parser of `grammar/policy.pest`.
    #[derive(pest_derive::Parser)]
    #[grammar = "../../grammar/policy.pest"]
    pub(crate) struct Grammar;
}

pub(super) use derived::{Grammar, Rule};

/// A node of pest's parse tree.
pub(super) type Pair<'t> = pest::iterators::Pair<'t, Rule>;
/// Sibling nodes of pest's parse tree.
pub(super) type Pairs<'t> = pest::iterators::Pairs<'t, Rule>;
