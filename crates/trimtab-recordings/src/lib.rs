//! Transcripts of agents, read from the formats of many tools and written as Trimtab JSONL.
//!
//! An internal crate of `trimtab`; not a public API.

pub mod transcript;
