//! Access to files, git revisions, and summarisers that run a command.
//!
//! Implements the traits `SourceLoader` and `Summariser`, which other rooms define, with real IO. It does not depend
//! on the command line.

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
