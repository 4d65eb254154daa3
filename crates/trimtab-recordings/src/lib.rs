//! Transcripts of agents, read from the formats of many tools and written as Trimtab JSONL.
//!
//! This is a part of the package `trimtab`, whose API it is not.

pub mod transcript;
