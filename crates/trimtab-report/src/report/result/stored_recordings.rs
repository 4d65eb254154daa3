//! Recordings of coding agents on a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SCHEMA_VERSION;

/// The result of `trimtab transcript find`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoresResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The tools of which recordings were found.
    pub tools: Vec<StoredRecordings>,
}

/// The recordings of one tool.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct StoredRecordings {
    /// The tool.
    pub tool: String,
    /// The format that they are read in.
    pub format: String,
    /// The number of files.
    pub files: u64,
    /// Whether counting ended early.
    pub is_partial: bool,
    /// Their size in bytes.
    pub bytes: u64,
    /// When the newest one was changed, in RFC 3339; null if that is unknown.
    pub newest: Option<String>,
    /// The pattern of their paths.
    pub place: String,
}

impl From<&[StoredRecordings]> for StoresResult {
    fn from(found: &[StoredRecordings]) -> Self {
        Self { schema_version: SCHEMA_VERSION, tools: found.to_vec() }
    }
}
