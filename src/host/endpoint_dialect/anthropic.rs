//! Requests and answers of `/v1/messages`.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use trimtab_live::engine::{SummaryAnswer, SummaryError};
use trimtab_recordings::transcript::api;

use super::content::{self, ContentPart};
use super::form::{EndpointForm, ModelRequest};
use super::server_error;

pub(super) static FORM: EndpointForm = EndpointForm {
    base_url: "https://api.anthropic.com/v1",
    key_variable: "ANTHROPIC_API_KEY",
    path: "messages",
    key_header: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    write_body: body,
    read_answer: answer,
};

fn body(request: &ModelRequest<'_>) -> Value {
    json!({
        "model": request.model,
        "max_tokens": request.max_output,
        "system": request.system,
        "messages": [{"role": "user", "content": request.user}],
    })
}

#[derive(Deserialize)]
struct Answer<'a> {
    content: Option<Vec<ContentPart>>,
    stop_reason: Option<String>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    error: Option<Value>,
}

fn answer(body: &str) -> Result<SummaryAnswer, SummaryError> {
    let answer: Answer<'_> = serde_json::from_str(body)
        .map_err(|error| SummaryError::Invalid(format!("it is not the expected JSON: {error}")))?;
    if let Some(error) = answer.error {
        return Err(SummaryError::Invalid(server_error::message(&error)));
    }
    let parts = answer.content.ok_or_else(|| SummaryError::Invalid("it has no content".to_owned()))?;
    let text = content::text(parts);
    match answer.stop_reason.as_deref() {
        Some("refusal") => Err(SummaryError::Refused(text)),
        Some("max_tokens" | "model_context_window_exceeded") => Err(SummaryError::CutOff),
        Some("tool_use") => Err(SummaryError::Invalid("the model called a tool".to_owned())),
        _ => Ok(SummaryAnswer { text, usage: answer.usage.and_then(|raw| api::anthropic_usage(raw.get())) }),
    }
}
