//! What reaches outside: summarisers that start a process, the files that a policy uses, what git knows of them; for
//! the command line and for embedders.
//!
//! In: requests of the lower rooms. Out: answers from outside. It does not know the command line.

mod command;
mod git;
mod source;

pub use command::Command;
pub use git::{Changes, Revision};
pub use source::{Files, project_root};
