//! Errors that servers describe in JSON.

use serde_json::Value;
use trimtab_live::request::provider_error;

/// The message in a value of the key `error`.
pub(super) fn message(error: &Value) -> String {
    provider_error(error).unwrap_or("the server reports an error").to_owned()
}

/// What an answer with an error status says: its message, or its text if it is short plain text.
pub(in super::super) fn reason(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        let is_page = body.trim_start().starts_with('<');
        return if is_page { String::new() } else { body.trim().to_owned() };
    };
    let named = ["error", "message", "detail"].into_iter().find_map(|key| value.get(key));
    named.map(message).unwrap_or_default()
}

/// Whether an account without credit is the reason, which waiting does not change.
pub(in super::super) fn is_out_of_credit(body: &str) -> bool {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let error = value.get("error").unwrap_or(&value);
    ["code", "type"].into_iter().any(|key| error.get(key).and_then(Value::as_str) == Some("insufficient_quota"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_found_in_the_usual_places() {
        for (body, expected) in [
            (r#"{"error":{"message":"too many","type":"x"}}"#, "too many"),
            (r#"{"error":"model not found"}"#, "model not found"),
            (r#"{"detail":"not allowed"}"#, "not allowed"),
            (r#"{"error":{"code":5}}"#, "the server reports an error"),
            ("{}", ""),
            ("  upstream is down\n", "upstream is down"),
            ("<html><h1>Bad Gateway</h1>", ""),
            ("", ""),
        ] {
            assert_eq!(reason(body), expected, "{body}");
        }
        assert!(is_out_of_credit(r#"{"error":{"code":"insufficient_quota"}}"#));
        assert!(!is_out_of_credit(r#"{"error":{"code":"rate_limit_exceeded"}}"#) && !is_out_of_credit("x"));
    }
}
