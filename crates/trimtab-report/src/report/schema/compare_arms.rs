//! The schema of `trimtab compare-arms --format json`.

use super::{Schema, derived};
use crate::report::result::ArmsResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "compare-arms",
    summary: "The result of `compare-arms` with --format json",
    json: || derived::<ArmsResult>("How the arms of an experiment differ, by Trimtab; keys may be added"),
};
