//! What is sent to the server.

use serde_json::{Value as Json, json};
use trimtab::{EndpointDialect, EndpointOptions, EndpointSummariser, Summarise, SummaryRequest};
use wiremock::matchers::{body_partial_json, header, header_exists, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{KEY, ask_as, options, request};

fn chat() -> Json {
    json!({
        "choices": [{"message": {"role": "assistant", "content": " Short. \n"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 30}},
    })
}

fn message() -> Json {
    json!({
        "content": [{"type": "text", "text": "Short."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 60, "cache_read_input_tokens": 30, "output_tokens": 7},
    })
}

#[tokio::test]
async fn the_interface_of_openai_gets_the_key_as_bearer_and_its_usage_is_returned() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", format!("Bearer {KEY}").as_str()))
        .and(header("content-type", "application/json"))
        .and(body_partial_json(json!({"model": "small-1", "max_tokens": 2400})))
        .respond_with(ResponseTemplate::new(200).set_body_json(chat()))
        .expect(2)
        .mount(&server)
        .await;
    for url in [server.uri(), format!("{}/v1/", server.uri())] {
        let answer = ask_as(EndpointDialect::OpenAi, &url, options()).await.unwrap();
        let usage = answer.usage.unwrap();
        assert_eq!((answer.text.as_str(), usage.input, usage.cache_read, usage.output), ("Short.", 60, 30, 7));
    }
    let bodies = server.received_requests().await.unwrap();
    let body: Json = serde_json::from_slice(&bodies[0].body).unwrap();
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("Summarise it.\n\n") && system.contains("400 tokens"), "{system}");
    assert_eq!(body["messages"][0]["role"], "system");
    let user = "<summary_so_far>\nSo far, so good.\n</summary_so_far>\n\n\
                <transcript>\n[user] Mend the parser.\n[assistant] Done.\n</transcript>";
    assert_eq!(body["messages"][1], json!({"role": "user", "content": user}));
}

#[tokio::test]
async fn the_interface_of_anthropic_gets_the_key_in_its_header_and_its_usage_is_returned() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/messages"))
        .and(header("x-api-key", KEY))
        .and(header_exists("anthropic-version"))
        .and(body_partial_json(json!({"model": "small-1", "max_tokens": 2400})))
        .respond_with(ResponseTemplate::new(200).set_body_json(message()))
        .expect(2)
        .mount(&server)
        .await;
    for url in [format!("{}/", server.uri()), format!("{}/v1", server.uri())] {
        let answer = ask_as(EndpointDialect::Anthropic, &url, options()).await.unwrap();
        let usage = answer.usage.unwrap();
        assert_eq!((answer.text.as_str(), usage.input, usage.cache_read, usage.output), ("Short.", 60, 30, 7));
    }
    let bodies = server.received_requests().await.unwrap();
    let body: Json = serde_json::from_slice(&bodies[0].body).unwrap();
    assert!(body["system"].as_str().unwrap().starts_with("Summarise it.\n\n"), "{body}");
    assert_eq!(body["messages"][0]["role"], "user");
    assert!(!bodies[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn without_a_key_no_header_is_sent_and_without_a_limit_the_default_is() {
    for (dialect, answer) in [(EndpointDialect::OpenAi, chat()), (EndpointDialect::Anthropic, message())] {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .and(body_partial_json(json!({"max_tokens": 5_100})))
            .respond_with(ResponseTemplate::new(200).set_body_json(answer))
            .mount(&server)
            .await;
        let options = EndpointOptions { extra_output: 100, default_output: 5_000, ..options() };
        let summariser = EndpointSummariser::new(dialect, &server.uri(), "m", None, options).unwrap();
        let request = SummaryRequest { at_most: None, previous: None, ..request() };
        assert_eq!(summariser.summarise(&request, 1).await.unwrap().text, "Short.");
        let sent = server.received_requests().await.unwrap().remove(0);
        assert!(!sent.headers.contains_key("authorization") && !sent.headers.contains_key("x-api-key"));
        assert!(!String::from_utf8_lossy(&sent.body).contains("summary_so_far"));
    }
}

#[test]
fn a_summariser_for_https_can_be_set_up() {
    for dialect in [EndpointDialect::OpenAi, EndpointDialect::Anthropic] {
        let summariser = EndpointSummariser::new(dialect, dialect.base_url(), "m", None, options());
        assert!(summariser.is_ok(), "{summariser:?}");
    }
    let error = EndpointSummariser::new(EndpointDialect::OpenAi, "ftp://a.b", "m", None, options()).unwrap_err();
    assert_eq!(error.to_string(), "the base URL must begin with `https://` or `http://`");
}
