//! What reaches outside: summarisers that start a process, and the files that a policy uses; for the command line and
//! for embedders.
//!
//! In: requests of the lower rooms. Out: answers from outside. It does not know the command line.

mod command;
mod source;

pub use command::Command;
pub use source::Files;
