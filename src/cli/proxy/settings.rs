//! The options that `trimtab proxy` and `trimtab run` share.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tokio::runtime::{Builder, Runtime};

use crate::cli::console::{Console, Failure};
use crate::cli::project::ProjectArguments;
use crate::cli::replay::{SummariserChoice, summariser};
use crate::cli::{input, load};
use crate::host::state_folder;
use crate::library::{Host, Plan};
use crate::proxy::{Mode, PROVIDERS, Provider, Settings, Upstreams};

#[derive(Args, Debug)]
pub(in super::super) struct ProxyArguments {
    /// The policy to use, if the file or the files that it uses define several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// What happens to requests
    #[arg(long, value_enum, default_value_t = ModeChoice::Observe, value_name = "MODE")]
    pub(in super::super) mode: ModeChoice,
    /// Where the requests for a provider (anthropic, openai, gemini) go, instead of to its public address
    #[arg(long, value_name = "PROVIDER=URL", value_parser = upstream)]
    upstream: Vec<(&'static Provider, String)>,
    /// Record each conversation in a file of this folder, for `trimtab simulate`. Recordings contain the texts of the
    /// conversations
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Where decisions are kept, so that they stay the same after a restart [default: `proxy` in the state folder of the user]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// The summariser: extract, fixed:TEXT, fail, command:CMD, openai:MODEL[@URL] or anthropic:MODEL[@URL]
    #[arg(long, value_name = "SUMMARISER", default_value = "extract", value_parser = summariser::parse)]
    summariser: SummariserChoice,
    /// The environment variable with the key of the model server of the summariser
    #[arg(long, value_name = "VARIABLE")]
    summariser_key: Option<String>,
    /// The context window in tokens [default: that of the model]
    #[arg(long, value_name = "TOKENS")]
    window: Option<u64>,
    #[command(flatten)]
    project: ProjectArguments,
}

/// What happens to requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in super::super) enum ModeChoice {
    /// They are recorded, and sent as they come
    Observe,
    /// What the policy makes of them is sent
    Enforce,
}

fn upstream(text: &str) -> Result<(&'static Provider, String), String> {
    let names = || PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>().join(", ");
    let (name, url) = text.split_once('=').ok_or("expected PROVIDER=URL, such as anthropic=https://example.org")?;
    let provider = Provider::named(name).ok_or_else(|| format!("unknown provider `{name}`; expected {}", names()))?;
    Upstreams::default().set(provider, url).map_err(|error| error.to_string())?;
    Ok((provider, url.to_owned()))
}

impl ProxyArguments {
    /// The settings of a proxy on any free port of this machine; none if the policy has errors, which are printed.
    pub(in super::super) fn settings(
        &self,
        policy_file: Option<&Path>,
        console: &Console,
    ) -> Result<Option<Settings>, Failure> {
        let policy = match policy_file {
            None => None,
            Some(path) => {
                let name = path.display().to_string();
                let project = self.project.open(&[path.to_path_buf()], console)?;
                let plan = load::plan(path, &name, self.policy.as_deref(), &project, console)?;
                let Some(plan) = plan else { return Ok(None) };
                Some(Plan::of(plan))
            }
        };
        let mut upstreams = Upstreams::default();
        for (provider, url) in &self.upstream {
            upstreams.set(provider, url).map_err(|error| error.to_string())?;
        }
        let usual = || state_folder().map(|folder| folder.join("proxy"));
        let state = self.state.clone().or_else(usual);
        let state = state.ok_or_else(|| "the home directory is not known; give --state".to_owned())?;
        Ok(Some(Settings {
            policy,
            mode: match self.mode {
                ModeChoice::Observe => Mode::Observe,
                ModeChoice::Enforce => Mode::Enforce,
            },
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            token: None,
            upstreams,
            state,
            record: self.record.clone(),
            summariser: self.summariser.open_live(self.summariser_key.as_deref())?,
            host: self.window.map_or_else(Host::new, |window| Host::new().window(window)),
        }))
    }

    /// Whether the address of a provider is given.
    pub(in super::super) fn has_upstream(&self, name: &str) -> bool {
        self.upstream.iter().any(|(provider, _)| provider.name == name)
    }

    /// Where recordings go.
    pub(in super::super) fn record(&self) -> Option<&Path> {
        self.record.as_deref()
    }
}

/// The token in a file.
pub(super) fn token(path: &Path) -> Result<String, Failure> {
    let text = input::read_text(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let token = text.trim();
    let is_valid = token.len() >= 16 && token.chars().all(|char| char.is_ascii_graphic());
    let reason = || format!("{}: expected a token of at least 16 visible ASCII characters", path.display());
    if is_valid { Ok(token.to_owned()) } else { Err(Failure::Message(reason())) }
}

/// The runtime of a proxy.
pub(in super::super) fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::Message(format!("the proxy cannot be started: {error}")))
}

/// Ready once the process is asked to end.
pub(super) async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
