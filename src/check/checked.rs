//! A checked file.

use smol_str::SmolStr;

use super::policy::{Agent, Policy};
use super::test_case::TestCase;
use crate::source::{Span, Spanned};

/// A checked file.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// What the file says of its host.
    pub agent: Agent,
    /// Its policies in the order written.
    pub policies: Vec<Policy>,
    /// The policies of the files that it uses.
    pub used: Vec<Policy>,
    /// What each `use` in it brings in, in the order written.
    pub uses: Vec<Import>,
    /// Its prompts and those that it brings in, by name, and where they are named.
    pub prompts: Vec<Spanned<SmolStr>>,
    /// Its tests in the order written.
    pub tests: Vec<TestCase>,
}

/// What a `use` brings in.
#[derive(Clone, Debug)]
pub struct Import {
    /// The `use`.
    pub span: Span,
    /// The names, sorted; those that the used file brings in itself are among them.
    pub names: Vec<SmolStr>,
    /// Whether the used file says something of the host.
    pub agent: bool,
}
