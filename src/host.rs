//! Access to files, git revisions, and summarisers that run a command or call a model server.
//!
//! Implements traits of other rooms with real IO: `SourceLoader`, `Summariser`, and `Summarise`. It does not depend on
//! the command line and starts no runtime.

#[cfg(feature = "cli")]
mod command;
#[cfg(any(feature = "cli", feature = "engine"))]
mod command_line;
#[cfg(feature = "engine")]
mod command_summariser;
#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "cli")]
mod git;
#[cfg(any(feature = "cli", feature = "engine"))]
mod prompt;
mod source;
#[cfg(feature = "engine")]
mod summariser;

#[cfg(feature = "cli")]
pub use command::Command;
#[cfg(feature = "engine")]
pub use command_summariser::CommandSummariser;
#[cfg(feature = "http")]
pub use endpoint::{ApiKey, EndpointDialect, EndpointError, EndpointOptions, EndpointSummariser, KeyError};
#[cfg(feature = "cli")]
pub use git::{Changes, Revision};
pub use source::{Files, project_root, read_policy};
