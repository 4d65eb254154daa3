//! The schema of `trimtab transcript show --format json`.

use super::{Schema, derived};
use crate::report::result::HistoriesResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "transcript-show",
    summary: "The result of `transcript show` with --format json",
    json: || derived::<HistoriesResult>("Contexts of recordings by Trimtab; keys may be added"),
};
