//! The schema of `trimtab suggest --format json`.

use super::{Schema, derived};
use crate::report::result::SuggestResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "suggest",
    summary: "The result of `suggest` with --format json",
    json: || {
        derived::<SuggestResult>(
            "What filled the contexts of recordings, and the policy that Trimtab suggests; keys may be added",
        )
    },
};
