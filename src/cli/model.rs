//! `--model`: a model of the table.

use crate::model;

/// The id as given, when the table has its model.
pub(super) fn known_model(id: &str) -> Result<String, String> {
    if model::find(id).is_some() {
        return Ok(id.to_owned());
    }
    let near = model::nearest(id).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Err(format!("no such model in the table; {near}`trimtab explain models` lists them"))
}
