//! The pages below `/_trimtab/`.

use std::fmt::Write as _;
use std::sync::Arc;

use hyper::{Response, StatusCode};
use serde_json::json;

use super::response::{self, ResponseBody};
use super::{Proxy, Recorded};

/// What the paths of the pages begin with.
const FOLDER: &str = "/_trimtab";

/// Returns a page, or `None` if the path is not of one.
pub(super) async fn page(proxy: &Arc<Proxy>, path: &str) -> Option<Response<ResponseBody>> {
    let path = path.strip_prefix(FOLDER).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(match path.trim_matches('/') {
        "health" => response::json(StatusCode::OK, &proxy.health()),
        "metrics" => response::text(StatusCode::OK, "text/plain; version=0.0.4", metrics(proxy)),
        "sessions" => response::json(StatusCode::OK, &sessions(proxy)),
        "" => response::text(StatusCode::OK, "text/html; charset=utf-8", report(proxy).await),
        _ => response::error(
            StatusCode::NOT_FOUND,
            "not_found",
            "the pages are health, metrics, sessions and the report",
        ),
    })
}

/// The report page on what was recorded so far. Replays take time, so they run on a thread for blocking work.
async fn report(proxy: &Arc<Proxy>) -> String {
    let proxy = Arc::clone(proxy);
    let page = tokio::task::spawn_blocking(move || Recorded::of(&proxy).page());
    page.await.unwrap_or_else(|_| "The report could not be made.".to_owned())
}

fn sessions(proxy: &Proxy) -> serde_json::Value {
    json!({ "schema_version": 1, "mode": proxy.mode, "policy": proxy.policy(), "conversations": proxy.statistics() })
}

/// The counters in the text format of Prometheus.
fn metrics(proxy: &Proxy) -> String {
    let mut text = String::new();
    let mut add = |name: &str, help: &str, values: &[(String, u64)]| {
        let _ = writeln!(text, "# HELP trimtab_{name} {help}\n# TYPE trimtab_{name} counter");
        for (labels, value) in values {
            let _ = writeln!(text, "trimtab_{name}{labels} {value}");
        }
    };
    let counters = proxy.counters();
    let one = |value: u64| vec![(String::new(), value)];
    add("requests_total", "Requests that were forwarded.", &one(counters.requests));
    add("decisions_total", "Requests on which a session decided.", &one(counters.decisions));
    add("edited_total", "Requests that were sent with edits.", &one(counters.edited));
    add("retried_total", "Requests that were sent again without their edits.", &one(counters.retried));
    add(
        "stopped_total",
        "Requests that were not forwarded because a rule has stopped the run.",
        &one(counters.stopped),
    );
    add("refused_total", "Requests that were not forwarded for other reasons.", &one(counters.refused));
    add("failures_total", "Internal errors and warnings.", &one(counters.failures));
    let passed = counters.passed.iter().map(|(reason, count)| (format!("{{reason={}}}", json!(reason)), *count));
    add("passed_total", "Requests that passed as they are, by reason.", &passed.collect::<Vec<_>>());
    let micros = counters.decision_time.as_micros().try_into().unwrap_or(u64::MAX);
    add("decision_microseconds_total", "Time that decisions took.", &one(micros));
    text
}
