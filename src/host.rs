//! Access to files, git revisions, the recordings of coding agents, and summarisers that run a command or call a model
//! server.
//!
//! Implements traits of other modules with real I/O: `SourceLoader`, `Summariser`, and `Summarise`. It does not depend on
//! the command line and starts no runtime.

#[cfg(feature = "cli")]
mod command;
#[cfg(any(feature = "cli", feature = "engine"))]
mod command_line;
#[cfg(feature = "engine")]
mod command_summariser;
#[cfg(feature = "proxy")]
mod decision_logs;
#[cfg(feature = "http")]
mod endpoint;
#[cfg(any(feature = "cli", feature = "http"))]
mod endpoint_dialect;
#[cfg(feature = "cli")]
mod experiment;
pub mod file;
#[cfg(feature = "cli")]
mod git;
#[cfg(feature = "cli")]
mod hook_state;
#[cfg(feature = "proxy")]
mod offloaded_contents;
#[cfg(feature = "proxy")]
mod open_files;
pub mod output;
mod playbook_file;
#[cfg(feature = "cli")]
mod private;
#[cfg(any(feature = "cli", feature = "engine"))]
mod program;
mod prompt;
#[cfg(feature = "proxy")]
mod recording_folder;
#[cfg(feature = "cli")]
mod recording_store;
mod root;
mod source;
#[cfg(feature = "cli")]
mod stored_session;
#[cfg(feature = "lint")]
mod test_recordings;

#[cfg(feature = "cli")]
pub use command::Command;
#[cfg(feature = "engine")]
pub use command_summariser::CommandSummariser;
#[cfg(feature = "proxy")]
pub use decision_logs::DecisionLogs;
#[cfg(feature = "http")]
pub use endpoint::{ApiKey, EndpointError, EndpointOptions, EndpointSummariser, KeyError};
#[cfg(feature = "proxy")]
pub use endpoint::{forwarding_client, http_causes};
#[cfg(any(feature = "cli", feature = "http"))]
pub use endpoint_dialect::EndpointDialect;
#[cfg(feature = "cli")]
pub use experiment::ExperimentFile;
#[cfg(feature = "proxy")]
pub use experiment::{ExperimentArm, random_id};
#[cfg(feature = "cli")]
pub use git::{Changes, Revision, remote_urls};
#[cfg(feature = "cli")]
pub use hook_state::HookState;
#[cfg(feature = "proxy")]
pub use offloaded_contents::{MAX_REQUEST_BYTES, OffloadedContents};
pub use playbook_file::PlaybookFile;
#[cfg(feature = "proxy")]
pub use private::temporary_file;
#[cfg(feature = "proxy")]
pub use private::{KEPT_DAYS, STATE_VARIABLE, proxy_state};
#[cfg(feature = "cli")]
pub use program::find as program_on_path;
pub use prompt::summary_prompt;
#[cfg(feature = "proxy")]
pub use recording_folder::{RecordingFolder, recording_name};
#[cfg(feature = "cli")]
pub use recording_store::{
    FoundRecordings, MAX_RECORDINGS, RECORDING_STORES, RecordingStore, find_all_recordings, find_recordings,
};
#[cfg(feature = "cli")]
pub use root::{joined, project_root, repository_root};
pub use source::{Files, read_policy};
#[cfg(feature = "cli")]
pub use stored_session::{
    HERMES_DATABASE, OPENCODE_DATABASE, is_foreign_database, is_part_of_session, read_stored_sessions,
};
#[cfg(feature = "lint")]
pub use test_recordings::TestRecordings;
