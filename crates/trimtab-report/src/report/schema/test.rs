//! The schema of `trimtab test --format json`.

use super::{Schema, derived};
use crate::report::result::TestsResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "test",
    summary: "The result of `test` with --format json",
    json: || derived::<TestsResult>("Tests of policies, run by Trimtab; keys may be added"),
};
