//! Replays of transcripts under a plan: what would have been sent, what it costs, and what was lost.
//!
//! This is a part of the package `trimtab`, whose API it is not.

pub mod simulate;
