//! Requests and answers of `/v1/chat/completions`.

use reqwest::Url;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use trimtab_live::engine::{SummaryAnswer, SummaryError};
use trimtab_recordings::transcript::api;

use super::content::{self, ContentPart};
use super::form::{EndpointForm, ModelRequest};
use super::server_error;

pub(super) static FORM: EndpointForm = EndpointForm {
    base_url: "https://api.openai.com/v1",
    key_variable: "OPENAI_API_KEY",
    path: "chat/completions",
    key_header: ("authorization", "Bearer "),
    headers: &[],
    write_body: body,
    read_answer: answer,
};

fn body(request: &ModelRequest<'_>) -> Value {
    json!({
        "model": request.model,
        "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
        limit_name(request.url): request.max_output,
    })
}

/// The name of the limit. OpenAI rejects the old name for newer models; other servers may know only the old one.
fn limit_name(url: &Url) -> &'static str {
    let host = url.host_str().unwrap_or_default();
    let is_openai = host == "api.openai.com" || host.ends_with(".openai.azure.com");
    if is_openai { "max_completion_tokens" } else { "max_tokens" }
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Reply>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Reply {
    content: Option<Content>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

fn answer(body: &str) -> Result<SummaryAnswer, SummaryError> {
    let answer: Answer<'_> = serde_json::from_str(body)
        .map_err(|error| SummaryError::Invalid(format!("it is not the expected JSON: {error}")))?;
    if let Some(error) = answer.error {
        return Err(SummaryError::Invalid(server_error::message(&error)));
    }
    let choice = answer.choices.into_iter().next();
    let choice = choice.ok_or_else(|| SummaryError::Invalid("it has no choices".to_owned()))?;
    let reply = choice.message.unwrap_or_default();
    let text = reply.content.map(Content::into_text).unwrap_or_default();
    match (reply.refusal.filter(|reason| !reason.is_empty()), choice.finish_reason.as_deref()) {
        (Some(reason), _) => Err(SummaryError::Refused(reason)),
        (None, Some("content_filter")) => Err(SummaryError::Refused("content filter".to_owned())),
        (None, Some("length")) => Err(SummaryError::CutOff),
        (None, Some("tool_calls" | "function_call")) => {
            Err(SummaryError::Invalid("the model called a tool".to_owned()))
        }
        (None, _) => {
            let text = without_thinking(&text).to_owned();
            Ok(SummaryAnswer { text, usage: answer.usage.and_then(|raw| api::chat_usage(raw.get())) })
        }
    }
}

impl Content {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => content::text(parts),
        }
    }
}

/// A text without the thinking that some servers leave at its start.
fn without_thinking(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(rest) => rest.split_once("</think>").map_or("", |(_, text)| text),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_at_the_start_is_not_part_of_the_summary() {
        assert_eq!(without_thinking("\n<think>a <b> c</think>\nText <think>"), "\nText <think>");
        assert_eq!(without_thinking("<think>endless"), "");
        assert_eq!(without_thinking("Text"), "Text");
    }
}
