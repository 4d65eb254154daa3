//! Rejections of providers.

/// What providers write, in lower case, when a request is too long for the window of the model: Anthropic, OpenAI, Gemini, and
/// servers that speak their dialects.
static TOO_LONG: &[&str] = &[
    "prompt is too long",
    "exceed context limit",
    "request_too_large",
    "context_length_exceeded",
    "maximum context length",
    "exceeds the context window",
    "exceeds the maximum number of tokens",
    "exceeds the available context size",
];

/// Whether a provider has rejected a request because it is too long for the window, given the body of its answer.
pub fn says_too_long(body: &str) -> bool {
    let body = body.to_lowercase();
    TOO_LONG.iter().any(|phrase| body.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::says_too_long;

    #[test]
    fn rejections_of_providers_are_recognised() {
        for body in [
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 201234 tokens > 200000 maximum"}}"#,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
            r#"{"error":{"code":400,"message":"The input token count (2) exceeds the maximum number of tokens allowed (1)."}}"#,
        ] {
            assert!(says_too_long(body), "{body}");
        }
        assert!(!says_too_long(r#"{"error":{"message":"tool_use ids were found without tool_result blocks"}}"#));
    }
}
