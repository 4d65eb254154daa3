//! The schema of `trimtab transcript validate --format json`.

use super::{Schema, derived};
use crate::report::result::ProblemsResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "transcript-validate",
    summary: "The result of `transcript validate` with --format json",
    json: || derived::<ProblemsResult>("Problems of recordings by Trimtab; keys may be added"),
};
