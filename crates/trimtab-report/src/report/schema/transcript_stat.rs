//! The schema of `trimtab transcript stat --format json`.

use super::{Schema, derived};
use crate::report::result::StatisticsResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "transcript-stat",
    summary: "The result of `transcript stat` with --format json",
    json: || derived::<StatisticsResult>("Statistics of recordings by Trimtab; keys may be added"),
};
