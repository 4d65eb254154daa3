//! What reaches outside: summarisers that start a process, for the command line and for embedders.
//!
//! In: requests of the lower rooms. Out: answers from outside. It does not know the command line.

mod command;

pub use command::Command;
