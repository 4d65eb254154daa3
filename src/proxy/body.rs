//! The body of a request.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::HeaderValue;
use hyper::{Response, StatusCode};
use tokio::time::timeout;
use trimtab_live::request::RequestText;

use super::encoding;
use super::response::{self, ResponseBody};
use crate::host::MAX_REQUEST_BYTES;

/// The most bytes that are reserved for a request before they arrive.
const MAX_RESERVED: usize = 4 << 20;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(300);

/// The body of a request. It is read and forwarded without a copy, unless it is encoded.
pub(super) struct RequestBody {
    pub(super) bytes: Bytes,
    encoding: Option<HeaderValue>,
    /// The text, or `None` if it is encoded, or no text.
    text: Option<RequestText>,
}

impl RequestBody {
    pub(super) fn new(bytes: Vec<u8>, encoding: Option<HeaderValue>) -> Self {
        if encoding.is_some() {
            return Self { bytes: bytes.into(), encoding, text: None };
        }
        match String::from_utf8(bytes).map(RequestText::from) {
            Ok(text) => Self { bytes: Bytes::from_owner(text.clone()), encoding, text: Some(text) },
            Err(error) => Self { bytes: error.into_bytes().into(), encoding, text: None },
        }
    }

    /// Returns the decoded text, or `None` if it cannot be read.
    pub(super) fn text(self) -> Option<RequestText> {
        let Some(encoding) = self.encoding else { return self.text };
        let decoded = encoding::decoded(encoding.to_str().ok()?, &self.bytes, MAX_REQUEST_BYTES).ok()?;
        Some(String::from_utf8(decoded).ok()?.into())
    }
}

/// The body of a request, or the response that refuses it.
pub(super) async fn collected(body: Incoming) -> Result<Vec<u8>, Response<ResponseBody>> {
    let refusal = |status, message: &str| response::error(status, "invalid_request_error", message);
    match timeout(ARRIVAL, bytes_of(body)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, "the request is longer than 128 MiB"))
        }
        Ok(Err(_)) => Err(refusal(StatusCode::BAD_REQUEST, "the request is not complete")),
        Err(_) => Err(refusal(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time")),
    }
}

async fn bytes_of(body: Incoming) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    let length = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    // A large announced length reserves no memory before the bytes arrive.
    let mut bytes = Vec::with_capacity(length.unwrap_or(0).min(MAX_RESERVED));
    let mut body = Limited::new(body, MAX_REQUEST_BYTES);
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}
