//! The value of `--model`.

use trimtab_model::model::Models;

use super::console::Failure;

/// Checks that the models of the project or the embedded table contain an id.
pub(super) fn check_model(id: Option<&str>, models: &Models) -> Result<(), Failure> {
    let Some(id) = id.filter(|id| models.find(id).is_none()) else { return Ok(()) };
    let near = models.nearest(id).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    let message = format!("unknown model `{id}` for `--model`; {near}`trimtab explain models` lists all models");
    Err(Failure::Message(message))
}
