//! What can be said of policies and recordings: tests, comparisons, sweeps, settings, targets, statistics.
//!
//! An internal crate of `trimtab`; not a public API.

// layer 8: the project's settings; parameters of a policy compared on recordings; policies compared in use
pub mod config;
pub mod experiment;
pub mod sweep;

// layer 7: tests, comparison; what recordings hold
pub mod diff;
pub mod recording;
pub mod test;

// layer 6: formats and settings of other systems
pub mod system;
pub mod target;
