//! A checked file.

use smol_str::SmolStr;
use trimtab_base::source::{Span, Spanned};

use super::policy::{Agent, Policy};
use super::test_case::TestCase;

/// A checked file.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// The `agent` block of the file, or else an imported one.
    pub agent: Agent,
    /// Its policies in source order.
    pub policies: Vec<Policy>,
    /// The policies of the files that it imports.
    pub used: Vec<Policy>,
    /// Its imports in source order.
    pub uses: Vec<Import>,
    /// Its own and imported prompts, with the spans of their names.
    pub prompts: Vec<Spanned<SmolStr>>,
    /// Its tests in source order.
    pub tests: Vec<TestCase>,
}

/// What a `use` imports.
#[derive(Clone, Debug)]
pub struct Import {
    /// The span of the `use`.
    pub span: Span,
    /// The imported names, sorted, including those that the other file imports itself.
    pub names: Vec<SmolStr>,
    /// Whether the other file has an `agent` block.
    pub has_agent: bool,
}
