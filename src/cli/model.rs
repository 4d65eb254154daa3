//! The value of `--model`.

use crate::model;

/// The id as given, if the model table contains it.
pub(super) fn known_model(id: &str) -> Result<String, String> {
    if model::find(id).is_some() {
        return Ok(id.to_owned());
    }
    let near = model::nearest(id).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Err(format!("unknown model; {near}`trimtab explain models` lists all models"))
}
