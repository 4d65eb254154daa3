//! The schema of `trimtab calibrate --format json`.

use super::{Schema, derived};
use crate::report::result::CalibrationResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "calibrate",
    summary: "The result of `calibrate` with --format json",
    json: || {
        derived::<CalibrationResult>("The accuracy of simulations by Trimtab, by model and format; keys may be added")
    },
};
