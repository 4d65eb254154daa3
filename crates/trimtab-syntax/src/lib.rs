//! The parser, which makes a tree of a policy's text, and the formatter.
//!
//! An internal crate of `trimtab`; not a public API.

// layer 1: trees to formatted text
pub mod format;

// layer 0: text to tree
pub mod syntax;
