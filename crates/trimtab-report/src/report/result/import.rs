//! What the options of a settings file of another system became.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SCHEMA_VERSION;

/// The result of `trimtab import` of settings; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The settings file.
    pub file: String,
    /// The system.
    pub system: String,
    /// The version of the system that the defaults are from.
    pub version: String,
    /// The month in which they were read.
    pub date: String,
    /// What each option became, and what the system always does.
    pub options: Vec<ImportedOption>,
    /// The policy.
    pub policy: String,
}

/// What an option became.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportedOption {
    /// The option, or a few words for what is built in.
    pub option: String,
    /// Its value; null if it has none.
    pub value: Option<String>,
    /// Where the value comes from.
    #[schemars(extend("enum" = ["written", "default", "computed", "not set", "built in"]))]
    pub origin: String,
    /// The line in which it is written, from 1; null if it is not written.
    pub line: Option<u64>,
    /// What it became; null if nothing.
    pub became: Option<String>,
    /// How well the policy says what the option means.
    #[schemars(extend("enum" = ["exact", "approximate", "impossible"]))]
    pub fidelity: String,
    /// Why it is not exact, or why it became nothing; null if there is nothing to say.
    pub reason: Option<String>,
}
