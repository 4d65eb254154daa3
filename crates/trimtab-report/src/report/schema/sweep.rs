//! The schema of `trimtab sweep --format json`.

use super::{Schema, derived};
use crate::report::result::SweepResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "sweep",
    summary: "The result of `sweep` with --format json",
    json: || derived::<SweepResult>("A sweep over the constants of a policy by Trimtab; keys may be added"),
};
