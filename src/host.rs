//! Access to the outside: policy files on disk, git revisions, and summarisers that run a command.
//!
//! The other rooms define the traits (`Sources`, `Summariser`) and this room implements them with real IO. It depends
//! on nothing of the command line.

#[cfg(feature = "cli")]
mod command;
#[cfg(feature = "cli")]
mod git;
mod source;

#[cfg(feature = "cli")]
pub use command::Command;
#[cfg(feature = "cli")]
pub use git::{Changes, Revision};
pub use source::{Files, project_root, read_policy};
