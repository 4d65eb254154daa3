//! How answers are read.

use serde_json::{Value as Json, json};
use trimtab::{EndpointDialect, SummaryAnswer, SummaryError};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{ask_as, options};

/// What a summariser makes of this answer. It is requested once.
async fn answered(dialect: EndpointDialect, body: Json) -> Result<SummaryAnswer, SummaryError> {
    let server = MockServer::start().await;
    let response = ResponseTemplate::new(200).set_body_json(body);
    Mock::given(method("POST")).respond_with(response).expect(1).mount(&server).await;
    ask_as(dialect, &server.uri(), options()).await
}

async fn chat(content: Json, finish_reason: &str) -> Result<SummaryAnswer, SummaryError> {
    let message = json!({"role": "assistant", "content": content});
    answered(EndpointDialect::OpenAi, json!({"choices": [{"message": message, "finish_reason": finish_reason}]})).await
}

async fn message(content: Json, stop_reason: &str) -> Result<SummaryAnswer, SummaryError> {
    answered(EndpointDialect::Anthropic, json!({"content": content, "stop_reason": stop_reason})).await
}

#[tokio::test]
async fn thinking_is_not_part_of_the_summary() {
    let blocks = json!([
        {"type": "thinking", "thinking": "Let me see.", "signature": "x"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "One "},
        {"type": "text", "text": "two."},
    ]);
    assert_eq!(message(blocks, "end_turn").await.unwrap().text, "One two.");
    let parts = json!([{"type": "reasoning", "text": "Let me see."}, {"type": "text", "text": "One two."}]);
    assert_eq!(chat(parts, "stop").await.unwrap().text, "One two.");
    assert_eq!(chat(json!("<think>Let me see.</think>\n\nOne two."), "stop").await.unwrap().text, "One two.");
}

#[tokio::test]
async fn an_answer_without_text_is_an_error() {
    for content in [json!(""), json!(" \n"), Json::Null, json!([]), json!("<think>endless")] {
        assert_eq!(chat(content, "stop").await, Err(SummaryError::Empty));
    }
    for content in [json!([]), json!([{"type": "thinking", "thinking": "x"}]), json!([{"type": "text", "text": " "}])] {
        assert_eq!(message(content, "end_turn").await, Err(SummaryError::Empty));
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_an_error() {
    assert_eq!(chat(json!("Half of"), "length").await, Err(SummaryError::CutOff));
    let half = json!([{"type": "text", "text": "Half of"}]);
    assert_eq!(message(half.clone(), "max_tokens").await, Err(SummaryError::CutOff));
    assert_eq!(message(half, "model_context_window_exceeded").await, Err(SummaryError::CutOff));
}

#[tokio::test]
async fn a_refusal_is_an_error() {
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I cannot."}, "finish_reason": "stop"}]});
    let error = answered(EndpointDialect::OpenAi, refusal).await.unwrap_err();
    assert_eq!(error.to_string(), "the model refused to summarise: I cannot.");
    let error = chat(json!("x"), "content_filter").await.unwrap_err();
    assert_eq!(error.to_string(), "the model refused to summarise: content filter");
    let error = message(json!([]), "refusal").await.unwrap_err();
    assert_eq!(error.to_string(), "the model refused to summarise");
}

#[tokio::test]
async fn a_tool_call_is_not_a_summary() {
    let error = chat(Json::Null, "tool_calls").await.unwrap_err();
    assert_eq!(error.to_string(), "the answer is invalid: the model called a tool");
    let error = message(json!([{"type": "tool_use", "id": "1"}]), "tool_use").await.unwrap_err();
    assert_eq!(error.to_string(), "the answer is invalid: the model called a tool");
}

#[tokio::test]
async fn an_error_in_a_successful_answer_is_an_error() {
    let error = json!({"error": {"message": "no provider", "code": 502}});
    let text = answered(EndpointDialect::OpenAi, error.clone()).await.unwrap_err().to_string();
    assert_eq!(text, "the answer is invalid: no provider");
    assert_eq!(answered(EndpointDialect::Anthropic, error).await.unwrap_err().to_string(), text);
}

#[tokio::test]
async fn an_answer_of_the_other_interface_is_invalid() {
    let chat = json!({"choices": [{"message": {"content": "x"}}]});
    let error = answered(EndpointDialect::Anthropic, chat).await.unwrap_err();
    assert_eq!(error, SummaryError::Invalid("it has no content".to_owned()));
    let error =
        answered(EndpointDialect::OpenAi, json!({"content": [{"type": "text", "text": "x"}]})).await.unwrap_err();
    assert_eq!(error, SummaryError::Invalid("it has no choices".to_owned()));
}

#[tokio::test]
async fn an_answer_without_a_finish_reason_or_usage_is_accepted() {
    let chat = json!({"choices": [{"message": {"content": "x"}}], "usage": null});
    assert_eq!(answered(EndpointDialect::OpenAi, chat).await, Ok("x".to_owned().into()));
}
