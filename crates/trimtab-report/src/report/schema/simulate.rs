//! The schema of `trimtab simulate --format json`, for one policy or several.

use super::{Schema, derived};
use crate::report::result::SimulationResults;

pub(super) static SCHEMA: Schema = Schema {
    name: "simulate",
    summary: "The result of `simulate` with --format json, and of `merge`",
    json: || derived::<SimulationResults>("Replays of transcripts by Trimtab; keys may be added"),
};
