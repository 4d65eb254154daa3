//! The options that `trimtab proxy` and `trimtab run` share.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tokio::runtime::{Builder, Runtime};
use trimtab_language::plan;
use trimtab_report::report::plural;

use super::time_limit::{self, TimeLimit};
use crate::cli::console::{Console, Failure};
use crate::cli::project::ProjectArguments;
use crate::cli::replay::{Confirm, SummariserChoice, summariser};
use crate::cli::{input, load};
use crate::host::{ExperimentArm, ExperimentFile, proxy_state};
use crate::library::{Host, Plan};
use crate::proxy::{Arm, DEADLINE, Experiment, Mode, PROVIDERS, Provider, Settings, Upstreams};

#[derive(Args, Debug)]
pub(in super::super) struct ProxyArguments {
    /// The policy to use, if the file or the files that it uses define several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// What happens to requests [default: observe, or enforce with --split]
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<ModeChoice>,
    /// Compare policies: give each conversation one of the policies at random, with these weights, such as 50:50. The policy
    /// `none` has no rules. Needs --record
    #[arg(long, value_name = "WEIGHTS", value_parser = weights, requires = "record")]
    split: Option<Weights>,
    /// Where the requests for a provider (anthropic, openai, gemini) go, instead of to its public address
    #[arg(long, value_name = "PROVIDER=URL", value_parser = upstream)]
    upstream: Vec<(&'static Provider, String)>,
    /// Record each conversation in a file of this directory, for `trimtab simulate`. Recordings contain the texts of the
    /// conversations
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Where decisions are kept, so that they stay the same after a restart [default: `$TRIMTAB_STATE`, or `proxy` in the
    /// state directory of the user]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// The summariser: extract, fixed:TEXT, fail, command:CMD, openai:MODEL[@URL] or anthropic:MODEL[@URL]
    #[arg(long, value_name = "SUMMARISER", default_value = "extract", value_parser = summariser::parse)]
    summariser: SummariserChoice,
    /// How the questions of rules with `confirm` are answered, since the proxy can ask nobody
    #[arg(long, value_enum, default_value_t, value_name = "ANSWER")]
    confirm: Confirm,
    /// The environment variable with the key of the model server of the summariser
    #[arg(long, value_name = "VARIABLE")]
    summariser_key: Option<String>,
    /// How long a request waits for a summary. After that time the summary has failed, and `on_failure` says what happens
    #[arg(long, value_name = "DURATION", default_value_t = TimeLimit(DEADLINE), value_parser = time_limit::parse)]
    summary_timeout: TimeLimit,
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

/// The weights of policies.
#[derive(Clone, Debug)]
struct Weights(Vec<u32>);

/// No policy, as the arm of an experiment.
const NONE: &str = "none";

fn weights(text: &str) -> Result<Weights, String> {
    let weights: Option<Vec<u32>> = text.split(':').map(|weight| weight.trim().parse().ok()).collect();
    let weights = weights.filter(|weights| weights.len() > 1 && weights.iter().all(|weight| *weight > 0));
    weights.map(Weights).ok_or_else(|| "expected at least two whole numbers, such as 50:50".to_owned())
}

fn upstream(text: &str) -> Result<(&'static Provider, String), String> {
    let names = || PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>().join(", ");
    let (name, url) = text.split_once('=').ok_or("expected PROVIDER=URL, such as anthropic=https://example.org")?;
    let provider = Provider::named(name).ok_or_else(|| format!("unknown provider `{name}`; expected {}", names()))?;
    Upstreams::default().set(provider, url).map_err(|error| error.to_string())?;
    Ok((provider, url.to_owned()))
}

impl ProxyArguments {
    /// Returns the settings of a proxy on any free port of this machine, or `None` if the policy has errors, which are
    /// printed. `unit` is what all conversations of the proxy belong to in an experiment, if it runs for one command.
    pub(in super::super) fn settings(
        &self,
        policy_files: &[PathBuf],
        unit: Option<String>,
        console: &Console,
    ) -> Result<Option<Settings>, Failure> {
        let (mut policy, mut experiment) = (None, None);
        match (&self.split, policy_files) {
            (Some(weights), files) => {
                let Some(arms) = self.arms(weights, files, console)? else { return Ok(None) };
                experiment = Some(self.experiment(arms, unit)?);
            }
            (None, []) => {}
            (None, [path]) => {
                let Some(plan) = self.plan(path, console)? else { return Ok(None) };
                policy = Some(plan);
            }
            (None, _) => {
                return Err(Failure::Message("several policies need --split, such as --split 50:50".to_owned()));
            }
        }
        let mut upstreams = Upstreams::default();
        for (provider, url) in &self.upstream {
            upstreams.set(provider, url).map_err(|error| error.to_string())?;
        }
        let TimeLimit(summary_timeout) = self.summary_timeout;
        let state = self.state.clone().or_else(proxy_state);
        let state = state.ok_or_else(|| "the home directory is not known; give --state".to_owned())?;
        Ok(Some(Settings {
            policy,
            mode: self.mode(),
            experiment,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            token: None,
            upstreams,
            state,
            record: self.record.clone(),
            summariser: self.summariser.open_live(self.summariser_key.as_deref(), summary_timeout)?,
            summary_timeout,
            confirms: self.confirm == Confirm::Yes,
            host: self.window.map_or_else(Host::new, |window| Host::new().window(window)),
        }))
    }

    /// What happens to requests.
    pub(in super::super) fn mode(&self) -> Mode {
        match self.mode {
            Some(ModeChoice::Enforce) => Mode::Enforce,
            None if self.split.is_some() => Mode::Enforce,
            Some(ModeChoice::Observe) | None => Mode::Observe,
        }
    }

    /// Returns the plan of a policy file, or `None` if it has errors, which are printed.
    fn plan(&self, path: &Path, console: &Console) -> Result<Option<Plan>, Failure> {
        let name = path.display().to_string();
        let project = self.project.open(&[path.to_path_buf()], console)?;
        Ok(load::plan(path, &name, self.policy.as_deref(), &project, console)?.map(Plan::of))
    }

    /// Returns the arms of an experiment, or `None` if a policy has errors, which are printed.
    fn arms(
        &self,
        Weights(weights): &Weights,
        files: &[PathBuf],
        console: &Console,
    ) -> Result<Option<Vec<Arm>>, Failure> {
        let failure = |message: String| Err(Failure::Message(message));
        if self.mode == Some(ModeChoice::Observe) {
            return failure("--split enforces the policies that it compares; leave out --mode observe".to_owned());
        }
        if weights.len() != files.len() {
            return failure(format!(
                "--split has {}, and there {}; give a policy file or `none` for each",
                plural(weights.len(), "weight"),
                if files.len() == 1 { "is 1 policy".to_owned() } else { format!("are {} policies", files.len()) },
            ));
        }
        let mut arms: Vec<Arm> = Vec::new();
        for (path, weight) in files.iter().zip(weights) {
            let plan = if path.as_os_str() == NONE {
                Plan::of(plan::Plan::without_rules())
            } else {
                match self.plan(path, console)? {
                    Some(plan) => plan,
                    None => return Ok(None),
                }
            };
            let name = if path.as_os_str() == NONE { NONE.to_owned() } else { plan.policy().to_owned() };
            if arms.iter().any(|arm| arm.name == name) {
                return failure(format!(
                    "two policies are called `{name}`; the arms of an experiment need different names"
                ));
            }
            arms.push(Arm { name, plan, weight: *weight });
        }
        Ok(Some(arms))
    }

    /// The experiment of these arms in the directory of recordings.
    fn experiment(&self, arms: Vec<Arm>, unit: Option<String>) -> Result<Experiment, Failure> {
        let folder = self.record.clone().unwrap_or_default();
        let described = arms.iter().map(|arm| ExperimentArm {
            name: arm.name.clone(),
            weight: arm.weight,
            plan: arm.plan.hash().to_owned(),
        });
        let file = ExperimentFile::open(&folder, described.collect());
        let file = file.map_err(|error| Failure::Message(format!("{}: {error}", folder.display())))?;
        Ok(Experiment { arms, seed: file.seed, unit })
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
