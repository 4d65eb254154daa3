//! The schema of `trimtab import --format json`.

use super::{Schema, derived};
use crate::report::result::ImportResult;

pub(super) static SCHEMA: Schema = Schema {
    name: "import",
    summary: "The result of `import` of settings with --format json",
    json: || derived::<ImportResult>("What the settings of another system became, by Trimtab; keys may be added"),
};
