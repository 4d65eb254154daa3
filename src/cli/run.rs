//! `trimtab run`: one command of a coding agent through a proxy of its own.

mod client;
mod process;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use tokio::net::TcpListener;
use trimtab_report::report::plural;

use self::client::Launch;
use super::console::{Console, Failure, OutputArguments};
use super::proxy::receipt::receipt;
use super::proxy::settings::{ProxyArguments, runtime};
use super::{Exit, FAILURE, Subcommand};
use crate::host::random_id;
use crate::proxy::{Mode, PassReason, Proxy, Settings};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "run",
    about: "Run a coding agent under a policy: observe its requests, or enforce the policy on them",
    arguments: Run::augment_args,
    run,
};

#[derive(Args, Debug)]
#[command(
    after_help = "The agent is pointed at the proxy by its own variables or options; the address that it had before is where \
    the proxy sends its requests. The exit code is that of the agent, but 2 if it succeeds and no request of it for a model has \
    reached a proxy that enforces or compares policies."
)]
struct Run {
    /// A policy file, or a compiled plan; without one, requests are only recorded. Several with --split
    #[arg(value_name = "POLICY")]
    policy_files: Vec<PathBuf>,
    #[command(flatten)]
    proxy: ProxyArguments,
    /// The command of the agent
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Run::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let console = Console::open(&arguments.output_options)?;
    let Some(mut settings) = arguments.proxy.settings(&arguments.policy_files, Some(random_id()), &console)? else {
        return Ok(Exit::Findings);
    };
    let launch = Launch::of(&arguments.command)?;
    for (provider, url) in launch.upstreams() {
        if !arguments.proxy.has_upstream(provider.name) {
            settings.upstreams.set(provider, &url).map_err(|error| error.to_string())?;
        }
    }
    for (provider, url) in
        launch.project_upstreams().iter().filter(|(provider, _)| !arguments.proxy.has_upstream(provider))
    {
        // Not as a command to copy, since anyone may have written the address.
        console.note(&format!(
            "this project's settings name the address {url} for {provider}, which is not used; `--upstream` sends requests there"
        ));
    }
    let (mode, obstacle, state) = (settings.mode, launch.obstacle(), settings.state.clone());
    let has_experiment = settings.experiment.is_some();
    let is_enforced = mode == Mode::Enforce;
    let runtime = runtime()?;
    let (code, proxy) = runtime.block_on(async {
        let cannot = |error: std::io::Error| format!("the proxy cannot listen: {error}");
        let listener = TcpListener::bind(settings.listen).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let proxy = Proxy::new(Settings { listen: address, ..settings }).map_err(|error| error.to_string())?;
        let serving = tokio::spawn(std::sync::Arc::clone(&proxy).serve(listener, std::future::pending()));
        let (mut command, files) = launch.command(address)?;
        if proxy.offloads() {
            process::enable_recall(&mut command, &state);
        }
        let code = process::run(command).await?;
        drop(files);
        serving.abort();
        Ok::<_, Failure>((code, proxy))
    })?;
    drop(runtime);
    let counters = proxy.counters();
    let unread = counters.passed.get(&PassReason::OtherInterface).copied().unwrap_or(0);
    let absent = match counters.requests + counters.stopped {
        0 => Some("nothing"),
        requests if requests <= unread => Some("no request for a model"),
        _ => None,
    };
    if let Some(absent) = absent {
        let hint = obstacle.unwrap_or("point it at the address of `trimtab proxy` by hand");
        let text = format!("the agent has sent {absent} to its proxy; {hint}");
        if is_enforced {
            let what = if has_experiment { "the experiment did not take place" } else { "the policy was not enforced" };
            console.error(&format!("error: {what}: {text}"));
        } else {
            console.note(&text);
        }
    }
    let is_unenforced = is_enforced && absent.is_some();
    if let Some(requests) = counters.passed.get(&PassReason::NoShell) {
        let requests = plural(usize::try_from(*requests).unwrap_or(usize::MAX), "request");
        console.note(&format!(
            "the policy offloads, and the agent declares no shell in which it could run `trimtab recall`: {requests} passed unchanged"
        ));
    }
    let name = match &arguments.policy_files[..] {
        [path] => Some(path.display().to_string()),
        _ => None,
    };
    let text = receipt(&proxy, mode, name.as_deref(), console.notes);
    console.note(text.trim_end());
    if let Some(folder) = arguments.proxy.record().filter(|_| !proxy.recordings().is_empty()) {
        console.note(&format!("recorded in {}", folder.display()));
    }
    console.close()?;
    // A script must not take a run without the policy for one under it.
    Ok(Exit::Of(if is_unenforced && code == 0 { FAILURE } else { code }))
}
