//! A proxy between an agent and its provider: it records what the agent sends, and can edit it as a policy says.
//!
//! A request of a known interface is given to the live session of its conversation. Everything else, and everything that
//! cannot be read, is forwarded unchanged, except requests that the proxy refuses (another site, no token, an unsafe path,
//! WebSocket). If its session cannot decide, a request is forwarded unchanged. Requests go only to the configured addresses.
//! No header is stored, logged or shown.

mod arm;
mod body;
mod conversation;
mod eligibility;
mod encoding;
mod exchange;
mod fixed_answer;
mod headers;
mod memory;
mod pages;
mod provider;
mod relay;
mod response;
mod simulation;
mod too_long;
mod upstream;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use reqwest::{Client, Url};
use serde::Serialize;
use serde_json::json;
use tokio::net::TcpListener;
use trimtab_language::plan;
use trimtab_live::engine::{Engine, Record, Summarise, Warning};

pub use self::arm::{Arm, Experiment};
pub use self::conversation::ConversationStatistics;
use self::conversation::Conversations;
pub use self::eligibility::PassReason;
use self::fixed_answer::FixedAnswer;
use self::headers::Access;
use self::memory::RecordingMemory;
pub use self::provider::{Interface, PROVIDERS, Provider};
pub use self::simulation::Recorded;
pub use self::upstream::{UpstreamError, Upstreams};
use crate::host::{DecisionLogs, OffloadedContents, RecordingFolder, forwarding_client};
use crate::library::{Host, Plan};

/// How long recording and saving may take before a request goes on without it, and a summary if no other limit is set.
pub const DEADLINE: Duration = Duration::from_secs(30);
/// How long the headers of a request may take to arrive.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// How many internal errors and warnings are kept for the person who runs the proxy.
const MAX_FAILURES: usize = 20;

/// What a proxy does with requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Records them, and sends them as they come.
    #[default]
    Observe,
    /// Edits them as the policy says, and sends them.
    Enforce,
}

/// How a proxy is set up.
pub struct Settings {
    /// The policy, or `None` to record only.
    pub policy: Option<Plan>,
    /// The mode.
    pub mode: Mode,
    /// The policies that conversations get at random, in place of the policy, or `None` without an experiment. They are
    /// enforced.
    pub experiment: Option<Experiment>,
    /// The address on which it listens.
    pub listen: SocketAddr,
    /// What each request must have in the header `x-trimtab-token`.
    pub token: Option<String>,
    /// The addresses of the providers.
    pub upstreams: Upstreams,
    /// The state directory: logs of decisions, offloaded contents and the file `off`.
    pub state: PathBuf,
    /// Where recordings go, or `None` to keep them in memory.
    pub record: Option<PathBuf>,
    /// The summariser.
    pub summariser: Arc<dyn Summarise>,
    /// How long a request waits for a summary, after which the summary has failed; usually [`DEADLINE`].
    pub summary_timeout: Duration,
    /// Whether `confirm` questions are answered yes: the proxy can ask nobody.
    pub confirms: bool,
    /// Properties of the agent that the policy does not state.
    pub host: Host,
}

/// Why a proxy cannot run.
#[derive(Debug)]
pub struct ProxyError(String);

impl fmt::Display for ProxyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ProxyError {}

/// A proxy that listens.
pub struct Proxy {
    mode: Mode,
    /// The policy that was given.
    policy: Option<Plan>,
    /// The policy of the sessions, which has no rules while the proxy observes.
    plan: Plan,
    experiment: Option<Experiment>,
    host: Host,
    access: Access,
    upstreams: Upstreams,
    clients: BTreeMap<String, Client>,
    engine: Engine,
    logs: DecisionLogs,
    /// Where offloaded contents are kept, or `None` if no policy offloads.
    offloaded: Option<OffloadedContents>,
    /// While this file exists, requests are forwarded without being read, recorded or edited.
    off: PathBuf,
    recordings: Recordings,
    conversations: Conversations,
    counters: Mutex<Counters>,
    failures: Mutex<Vec<String>>,
}

/// Where recordings are.
#[derive(Clone)]
enum Recordings {
    Folder(Arc<RecordingFolder>),
    Memory(Arc<RecordingMemory>),
}

/// Request counters of a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests that were forwarded.
    pub requests: u64,
    /// Requests on which a session decided.
    pub decisions: u64,
    /// The total time of these decisions.
    pub decision_time: Duration,
    /// Requests that were sent with edits.
    pub edited: u64,
    /// Requests that the provider has rejected with edits, and that were sent again without them.
    pub retried: u64,
    /// Requests that were not forwarded because a rule has stopped the run.
    pub stopped: u64,
    /// Requests that were not forwarded for other reasons.
    pub refused: u64,
    /// Internal errors and warnings.
    pub failures: u64,
    /// Requests that passed as they are, by reason.
    pub passed: BTreeMap<PassReason, u64>,
}

impl Proxy {
    /// Sets up a proxy. The listener is the caller's, so that it can take any free port.
    ///
    /// # Errors
    /// The state or the recordings cannot be written, an address cannot be used, or the policy needs what a proxy does not
    /// have.
    pub fn new(settings: Settings) -> Result<Arc<Self>, ProxyError> {
        let Settings { policy, mode, experiment, listen, token, upstreams, state, record, confirms, host, .. } =
            settings;
        if !listen.ip().is_loopback() && token.is_none() {
            let reason = format!("{listen} can be reached from other machines; give a token with --token-file");
            return Err(ProxyError(reason));
        }
        let plan = match &policy {
            Some(plan) if mode == Mode::Enforce => plan.clone(),
            None if mode == Mode::Enforce && experiment.is_none() => {
                return Err(ProxyError("--mode enforce needs a policy".to_owned()));
            }
            // The `agent` block applies while the proxy only observes, too.
            Some(plan) => Plan::of(plan::Plan { agent: plan.inner().agent.clone(), ..plan::Plan::without_rules() }),
            None => Plan::of(plan::Plan::without_rules()),
        };
        let all = experiment.iter().flat_map(|experiment| experiment.arms.iter().map(|arm| &arm.plan)).chain([&plan]);
        let offloads = all.into_iter().any(Plan::offloads);
        let host = if offloads { host.recall_by_command() } else { host };
        // A client shows the error of a stopped request, and adds no reply to its history.
        let host = host.resume_after_stop();
        let cannot = |what: &str, error: &io::Error| ProxyError(format!("{what} cannot be used: {error}"));
        let logs = DecisionLogs::open(&state.join("decisions"));
        let logs = logs.map_err(|error| cannot(&format!("the state directory {}", state.display()), &error))?;
        let offloaded = offloads.then(|| OffloadedContents::open(&state)).transpose();
        let offloaded =
            offloaded.map_err(|error| cannot(&format!("the state directory {}", state.display()), &error))?;
        let recordings = match record {
            None => Recordings::Memory(Arc::default()),
            Some(folder) => Recordings::Folder(Arc::new(
                RecordingFolder::open(&folder).map_err(|error| cannot(&folder.display().to_string(), &error))?,
            )),
        };
        let recorder: Arc<dyn Record> = match &recordings {
            Recordings::Folder(folder) => Arc::<RecordingFolder>::clone(folder),
            Recordings::Memory(memory) => Arc::<RecordingMemory>::clone(memory),
        };
        let engine = Engine::new(settings.summariser).decider(Arc::new(FixedAnswer(confirms))).recorder(recorder);
        let engine = engine.deadline(DEADLINE).summary_deadline(settings.summary_timeout);
        let mut clients = BTreeMap::new();
        for (name, url) in upstreams.iter() {
            let client = forwarding_client(url).map_err(|error| ProxyError(format!("{name}: {error}")))?;
            clients.insert(origin(url), client);
        }
        Ok(Arc::new(Self {
            mode,
            policy,
            plan,
            experiment,
            host,
            access: Access { address: listen, token },
            upstreams,
            clients,
            engine,
            logs,
            offloaded,
            off: state.join("off"),
            recordings,
            conversations: Conversations::default(),
            counters: Mutex::default(),
            failures: Mutex::default(),
        }))
    }

    /// Answers requests until `shutdown` is ready. Connections that are open then end with the runtime of the
    /// caller.
    ///
    /// # Errors
    /// No connection can be accepted.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, shutdown: impl Future<Output = ()>) -> io::Result<()> {
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut shutdown => return Ok(()),
            };
            let Ok((stream, _)) = accepted else {
                // A client that has left, or a moment with too many open files.
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            // Small events of a stream are sent at once.
            let _ = stream.set_nodelay(true);
            let proxy = Arc::clone(&self);
            tokio::spawn(async move {
                let service = service_fn(move |request: Request<Incoming>| {
                    let proxy = Arc::clone(&proxy);
                    async move { Ok::<_, Infallible>(proxy.respond(request).await) }
                });
                let mut connection = http1::Builder::new();
                connection.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
                // A disconnect affects only this connection.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }

    /// Whether a policy moves results out of the context, so that the agent needs `trimtab recall`.
    pub const fn offloads(&self) -> bool {
        self.offloaded.is_some()
    }

    /// Its request counters.
    pub fn counters(&self) -> Counters {
        self.lock().clone()
    }

    /// What has happened in each conversation, by id.
    pub fn statistics(&self) -> BTreeMap<String, ConversationStatistics> {
        self.conversations.statistics()
    }

    /// The last internal errors and warnings. A request is sent unchanged only if its session could not decide.
    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The recordings of this proxy, each with its name.
    pub fn recordings(&self) -> Vec<(String, String)> {
        match &self.recordings {
            Recordings::Folder(folder) => folder.written(),
            Recordings::Memory(memory) => memory.all(),
        }
    }

    fn policy(&self) -> Option<&str> {
        self.policy.as_ref().map(Plan::policy)
    }

    fn health(&self) -> serde_json::Value {
        json!({
            "status": "ok",
            "version": env!("CARGO_PKG_VERSION"),
            "mode": self.mode,
            "policy": self.policy(),
            "failures": self.counters().failures,
            "last_failure": self.failures().last(),
        })
    }

    fn host(&self) -> Host {
        self.host.clone()
    }

    fn client(&self, url: &Url) -> &Client {
        self.clients.get(&origin(url)).expect("each address has a client")
    }

    /// Whether the person who runs it has turned it off.
    fn is_off(&self) -> bool {
        self.off.exists()
    }

    fn count(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut self.lock());
    }

    fn count_passed(&self, reason: PassReason) {
        self.count(|counters| *counters.passed.entry(reason).or_default() += 1);
    }

    fn warn(&self, warnings: &[Warning]) {
        for warning in warnings {
            self.fail(warning.to_string());
        }
    }

    fn fail(&self, reason: String) {
        self.count(|counters| counters.failures += 1);
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() == MAX_FAILURES {
            failures.remove(0);
        }
        failures.push(reason);
    }

    fn lock(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Scheme, host and port.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
