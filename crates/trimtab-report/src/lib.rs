//! Traces, diagnostics and the vocabulary in every output format.
//!
//! An internal crate of `trimtab`; not a public API.

pub mod report;
