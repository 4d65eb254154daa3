//! Lints of policies, and their fixes.
//!
//! This is a part of the package `trimtab`, whose API it is not.

pub mod lint;
