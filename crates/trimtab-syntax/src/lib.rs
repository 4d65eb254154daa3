//! The text of a policy as a tree, and a tree in its one layout.
//!
//! This is a part of the package `trimtab`, whose API it is not.

// layer 1: trees in their one layout
pub mod format;

// layer 0: text to tree
pub mod syntax;
