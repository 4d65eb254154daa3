//! Replays of transcripts under a plan: what would have been sent, what it costs, and what was lost.
//!
//! An internal crate of `trimtab`; not a public API.

pub mod simulate;
