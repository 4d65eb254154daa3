//! HTTP clients and single attempts.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, Response, Url, redirect};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use trimtab_live::engine::SummaryError;

use super::api_key::ApiKey;
use super::base_url;
use super::pause;
use crate::host::endpoint_dialect::{EndpointForm, server_error};
use rustls_platform_verifier::BuilderVerifierExt;

/// How long the connection may take to be established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// How much of an answer with an error status is read, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;

/// An attempt that failed, and whether another one may succeed.
pub(super) struct FailedAttempt {
    pub(super) error: SummaryError,
    pub(super) may_succeed_later: bool,
}

impl FailedAttempt {
    pub(super) const fn transient(error: SummaryError) -> Self {
        Self { error, may_succeed_later: true }
    }

    pub(super) const fn permanent(error: SummaryError) -> Self {
        Self { error, may_succeed_later: false }
    }

    /// Which time the server wants to be left alone.
    pub(super) const fn retry_after(&self) -> Option<Duration> {
        match self.error {
            SummaryError::Status { retry_after, .. } => retry_after,
            _ => None,
        }
    }
}

/// A client that sends requests of others on to a server, as they are.
///
/// # Errors
/// The system has no certificates for `https`.
#[cfg(feature = "proxy")]
pub fn forwarding_client(url: &Url) -> Result<Client, String> {
    built(url, Client::builder())
}

/// A client for one address.
pub(super) fn client(url: &Url, form: &EndpointForm, key: Option<&ApiKey>) -> Result<Client, String> {
    let builder = Client::builder().default_headers(headers(form, key)?);
    built(url, builder.user_agent(concat!("trimtab/", env!("CARGO_PKG_VERSION"))))
}

/// The client does not follow redirects: they could lead a key to another server. No proxy is asked for this machine.
fn built(url: &Url, builder: ClientBuilder) -> Result<Client, String> {
    let builder = builder
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .tls_backend_preconfigured(tls(url).map_err(|error| format!("TLS cannot be set up: {error}"))?);
    let builder = if base_url::is_local(url) { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| format!("the HTTP client cannot be set up: {}", http_causes(error)))
}

fn headers(form: &EndpointForm, key: Option<&ApiKey>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for &(name, value) in form.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = key {
        let (name, prefix) = form.key_header;
        let value = HeaderValue::try_from(format!("{prefix}{}", key.expose()));
        let mut value = value.map_err(|_| "the key cannot be part of an HTTP header".to_owned())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// TLS that trusts what the operating system trusts. Plain HTTP needs no certificates, which may be missing.
fn tls(url: &Url) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = match url.scheme() {
        "https" => builder.with_platform_verifier()?,
        _ => builder.with_root_certificates(RootCertStore::empty()),
    };
    Ok(builder.with_no_client_auth())
}

/// Sends a request and returns the body of a successful answer.
pub(super) async fn post(client: &Client, url: &Url, body: &str, max_bytes: usize) -> Result<String, FailedAttempt> {
    let sent = client.post(url.clone()).body(body.to_owned()).send().await;
    let response = sent.map_err(lost)?;
    if !response.status().is_success() {
        return Err(rejection(response).await);
    }
    let (body, is_whole) = read(response, max_bytes).await?;
    if !is_whole {
        return Err(FailedAttempt::permanent(SummaryError::TooLong(max_bytes)));
    }
    let text = String::from_utf8(body).map_err(|_| SummaryError::Invalid("it is not UTF-8 text".to_owned()));
    text.map_err(FailedAttempt::permanent)
}

/// The error of an answer with a status other than success.
async fn rejection(response: Response) -> FailedAttempt {
    let (status, retry_after) = (response.status(), pause::retry_after(response.headers()));
    // The status says enough if the rest of the answer is lost.
    let body = read(response, MAX_ERROR_BODY).await.map(|(body, _)| body).unwrap_or_default();
    let body = String::from_utf8_lossy(&body);
    let message =
        if status.is_redirection() { "redirects are not followed".to_owned() } else { server_error::reason(&body) };
    let is_transient = matches!(status.as_u16(), 408 | 409 | 425 | 429) || status.is_server_error();
    let error = SummaryError::Status { status: status.as_u16(), message, retry_after };
    FailedAttempt { error, may_succeed_later: is_transient && !server_error::is_out_of_credit(&body) }
}

/// The first bytes of a body, and whether that is all of it.
async fn read(mut response: Response, max_bytes: usize) -> Result<(Vec<u8>, bool), FailedAttempt> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        let space = max_bytes.saturating_sub(body.len());
        body.extend_from_slice(chunk.get(..space).unwrap_or(&chunk));
        if chunk.len() > space {
            return Ok((body, false));
        }
    }
    Ok((body, true))
}

fn lost(error: reqwest::Error) -> FailedAttempt {
    FailedAttempt::transient(SummaryError::Connection(http_causes(error)))
}

/// What has happened, without the address: the innermost causes are the most precise ones.
pub fn http_causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut causes = vec![error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    causes.dedup();
    causes.split_off(causes.len().saturating_sub(2)).join(": ")
}
