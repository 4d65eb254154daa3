//! Answers that the proxy gives itself.

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::json;

/// The body of a response.
pub(super) type ResponseBody = UnsyncBoxBody<Bytes, reqwest::Error>;

/// A response with a text.
pub(super) fn text(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Response<ResponseBody> {
    let body = Full::new(text.into()).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A response in JSON.
pub(super) fn json(status: StatusCode, value: &serde_json::Value) -> Response<ResponseBody> {
    text(status, "application/json", format!("{value}\n"))
}

/// An error in the form that clients of all providers read.
pub(super) fn error(status: StatusCode, kind: &str, message: &str) -> Response<ResponseBody> {
    let error = json!({ "type": kind, "message": format!("trimtab: {message}"), "code": "trimtab" });
    json(status, &json!({ "type": "error", "error": error }))
}
