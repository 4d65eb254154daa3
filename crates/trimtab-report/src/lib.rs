//! Traces, diagnostics and the vocabulary in every output format.
//!
//! This is a part of the package `trimtab`, whose API it is not.

pub mod report;
