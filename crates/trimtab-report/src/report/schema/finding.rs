//! The schema of a line of `--format jsonl`.

use super::{Schema, derived};
use crate::report::result::FindingResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "finding",
    summary: "A line of `validate` or `lint` with --format jsonl",
    json: || derived::<FindingResult>("A finding of Trimtab; keys may be added"),
};
