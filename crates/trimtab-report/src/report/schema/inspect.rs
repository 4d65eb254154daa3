//! The schema of `trimtab inspect --format json`.

use super::{Schema, derived};
use crate::report::result::InspectionResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "inspect",
    summary: "The result of `inspect` with --format json",
    json: || derived::<InspectionResult>("A policy with all that it inherits, resolved by Trimtab; keys may be added"),
};
