//! The schema of `trimtab diff --format json`.

use super::{Schema, derived};
use crate::report::result::DifferenceResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "diff",
    summary: "The result of `diff` with --format json",
    json: || derived::<DifferenceResult>("A comparison of two policies by Trimtab; keys may be added"),
};
