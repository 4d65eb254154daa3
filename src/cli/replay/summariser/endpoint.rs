//! A model of a server as a summariser of replays, which do not await.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use trimtab_language::effect::SummaryRequest;
use trimtab_live::engine::Summarise;
use trimtab_simulate::simulate::Summariser;

use super::{ServerModel, Summarisers};
use crate::host::{ApiKey, EndpointOptions, EndpointSummariser};

/// Prepares a model. The usual variable with a key is read only for the provider that the key is for.
pub(super) fn open(model: &ServerModel, key_variable: Option<&str>) -> Result<Summarisers, String> {
    let summariser = summariser(model, key_variable, Duration::ZERO)?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the summariser cannot be set up: {error}"))?;
    let shared = Shared(Arc::new(Blocking { runtime, summariser }));
    Ok(Box::new(move || Box::new(shared.clone())))
}

/// The summariser that asks a model. A summary may take at least this long.
pub(super) fn summariser(
    model: &ServerModel,
    key_variable: Option<&str>,
    at_least: Duration,
) -> Result<EndpointSummariser, String> {
    let dialect = model.interface;
    let variable = key_variable.or(model.base_url.is_none().then_some(dialect.key_variable()));
    let key = variable.map(ApiKey::from_variable).transpose().map_err(|error| error.to_string())?;
    let url = model.base_url.as_deref().unwrap_or(dialect.base_url());
    let usual = EndpointOptions::default();
    let options = EndpointOptions {
        attempt_timeout: usual.attempt_timeout.max(at_least),
        deadline: usual.deadline.max(at_least),
        ..usual
    };
    let summariser = EndpointSummariser::new(dialect, url, &model.model, key, options);
    summariser.map_err(|error| error.to_string())
}

/// A summariser that replays in several threads share, with its connections.
#[derive(Clone)]
struct Shared(Arc<Blocking>);

/// Waits for each answer.
struct Blocking {
    runtime: Runtime,
    summariser: EndpointSummariser,
}

impl Summariser for Shared {
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        let Blocking { runtime, summariser } = &*self.0;
        let answer = runtime.block_on(summariser.summarise(request, number));
        answer.map(|answer| answer.text).map_err(|error| error.to_string())
    }
}
