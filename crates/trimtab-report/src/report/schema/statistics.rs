//! The schema of `trimtab lint --statistics --format json`.

use super::{Schema, derived};
use crate::report::result::CodeStatistics;

pub(super) static SCHEMA: Schema = Schema {
    name: "statistics",
    summary: "The result of `lint --statistics` with --format json",
    json: || derived::<CodeStatistics>("Findings of Trimtab, counted by code; keys may be added"),
};
