//! A summariser that calls a model server.

mod api_key;
mod base_url;
mod connection;
mod options;
mod pause;

use std::fmt;
use std::time::Duration;

use reqwest::{Client, Url};
use tokio::time::{Instant, sleep, timeout};
use trimtab_language::effect::SummaryRequest;
use trimtab_live::engine::{Summarise, SummaryAnswer, SummaryError, SummaryFuture};

use self::connection::FailedAttempt;
use self::pause::Pauses;
use super::endpoint_dialect::{EndpointDialect, EndpointForm};
pub use api_key::{ApiKey, KeyError};
#[cfg(feature = "proxy")]
pub use connection::{forwarding_client, http_causes};
pub use options::EndpointOptions;

/// Sends each request for a summary to a model server.
///
/// The server receives the conversation. Attempts that fail for a transient reason are repeated: no connection, no answer
/// in time, and the statuses 408, 409, 425, 429 and 5xx, except 429 for an account without credit. Redirects are not
/// followed. A summary that was cut off at its maximum length is an error. The proxies of the environment are used,
/// except for this machine.
///
/// It must be polled in a tokio runtime with IO and time.
///
/// ```no_run
/// use trimtab::{ApiKey, EndpointDialect, EndpointOptions, EndpointSummariser, Summarise, SummaryRequest};
///
/// # async fn summary(request: SummaryRequest) -> Result<(), Box<dyn std::error::Error>> {
/// let (dialect, key) = (EndpointDialect::Anthropic, ApiKey::from_variable("ANTHROPIC_API_KEY")?);
/// let options = EndpointOptions::default();
/// let summariser = EndpointSummariser::new(dialect, dialect.base_url(), "claude-haiku-4-5", Some(key), options)?;
/// let answer = summariser.summarise(&request, 1).await?;
/// println!("{}", answer.text);
/// # Ok(())
/// # }
/// ```
pub struct EndpointSummariser {
    form: &'static EndpointForm,
    url: Url,
    model: String,
    key: Option<ApiKey>,
    client: Client,
    options: EndpointOptions,
    pauses: Pauses,
}

impl EndpointSummariser {
    /// A summariser that asks this model of a server. The base URL is the address of the server, with or without `/v1`.
    ///
    /// # Errors
    /// If the base URL is not one, contains a user or a query, or the system has no certificates for `https`.
    pub fn new(
        dialect: EndpointDialect,
        base_url: &str,
        model: impl Into<String>,
        key: Option<ApiKey>,
        options: EndpointOptions,
    ) -> Result<Self, EndpointError> {
        let form = dialect.form();
        let url = base_url::interface(base_url, form.path).map_err(EndpointError)?;
        let client = connection::client(&url, form, key.as_ref()).map_err(EndpointError)?;
        let pauses = Pauses::new(&options);
        Ok(Self { form, url, model: model.into(), key, client, options, pauses })
    }

    /// Repeats attempts until one succeeds or another makes no sense.
    async fn run(&self, request: &SummaryRequest) -> Result<SummaryAnswer, SummaryError> {
        let summary = request.at_most.unwrap_or(self.options.default_output);
        let max_output = summary.saturating_add(self.options.extra_output);
        let body = self.form.body(&self.url, &self.model, request, max_output);
        let (start, mut attempts) = (Instant::now(), 0);
        loop {
            let left = self.options.deadline.saturating_sub(start.elapsed());
            let limit = self.options.attempt_timeout.min(whole_millis(left));
            let attempt = timeout(limit, self.attempt(&body)).await;
            let failed = match attempt.unwrap_or(Err(FailedAttempt::transient(SummaryError::Timeout(limit)))) {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            attempts += 1;
            let pause = self.pauses.after(attempts, failed.retry_after());
            // An attempt that has no time could only hide why this one has failed.
            let needed = pause.saturating_add(self.options.attempt_timeout / 10);
            let in_time = start.elapsed().saturating_add(needed) < self.options.deadline;
            if !failed.may_succeed_later || attempts > self.options.retries || !in_time {
                return Err(self.error(failed.error, attempts));
            }
            sleep(pause).await;
        }
    }

    async fn attempt(&self, body: &str) -> Result<SummaryAnswer, FailedAttempt> {
        let answer = connection::post(&self.client, &self.url, body, self.options.max_answer).await?;
        self.form.answer(&answer).map_err(FailedAttempt::permanent)
    }

    /// The error of the last attempt, without the key in texts of the server.
    fn error(&self, error: SummaryError, attempts: u32) -> SummaryError {
        let quoted = |text: String| api_key::quoted(&text, self.key.as_ref());
        let error = match error {
            SummaryError::Status { status, message, retry_after } => {
                SummaryError::Status { status, message: quoted(message), retry_after }
            }
            SummaryError::Connection(reason) => SummaryError::Connection(quoted(reason)),
            SummaryError::Refused(reason) => SummaryError::Refused(quoted(reason)),
            SummaryError::Invalid(reason) => SummaryError::Invalid(quoted(reason)),
            other => other,
        };
        if attempts < 2 { error } else { SummaryError::Attempts { attempts, last: Box::new(error) } }
    }
}

/// A duration that is short to read.
fn whole_millis(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

impl Summarise for EndpointSummariser {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, _: u64) -> SummaryFuture<'a> {
        Box::pin(self.run(request))
    }
}

impl fmt::Debug for EndpointSummariser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointSummariser")
            .field("url", &self.url.as_str())
            .field("model", &self.model)
            .field("key", &self.key)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Why a summariser cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointError(String);

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EndpointError {}
