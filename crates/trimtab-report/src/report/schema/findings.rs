//! The schema of findings with `--format json`.

use super::{Schema, derived};
use crate::report::result::FindingsResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "findings",
    summary: "The result of `validate` or `lint` with --format json",
    json: || derived::<FindingsResult>("Findings of Trimtab; keys may be added"),
};
