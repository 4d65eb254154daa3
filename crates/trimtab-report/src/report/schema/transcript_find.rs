//! The schema of `trimtab transcript find --format json`.

use super::{Schema, derived};
use crate::report::result::StoresResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "transcript-find",
    summary: "The result of `transcript find` with --format json",
    json: || derived::<StoresResult>("Recordings of coding agents on a machine, by Trimtab; keys may be added"),
};
