//! Lints of policies, and their fixes.
//!
//! An internal crate of `trimtab`; not a public API.

pub mod lint;
