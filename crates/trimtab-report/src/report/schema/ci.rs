//! The schema of `trimtab ci --format json`.

use super::{Schema, derived};
use crate::report::result::CiResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "ci",
    summary: "The result of `ci` with --format json",
    json: || derived::<CiResult>("Everything that a project promises, checked by Trimtab; keys may be added"),
};
