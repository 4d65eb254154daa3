//! `trimtab proxy`: a server between an agent and its provider.

pub(super) mod receipt;
pub(super) mod settings;
mod time_limit;

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use tokio::net::TcpListener;

use self::settings::{ProxyArguments, runtime};
use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};
use crate::proxy::{Proxy, Settings};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "proxy",
    about: "Run a proxy between coding agents and their providers that records requests or enforces a policy",
    arguments: ProxyVerb::augment_args,
    run,
};

#[derive(Args, Debug)]
#[command(
    after_help = "Point the agent at the address that is printed, such as ANTHROPIC_BASE_URL or OPENAI_BASE_URL with `/v1`. \
    `trimtab run` does this for one command."
)]
struct ProxyVerb {
    /// A policy file, or a compiled plan; without one, requests are only recorded. Several with --split
    #[arg(value_name = "POLICY")]
    policy_files: Vec<PathBuf>,
    #[command(flatten)]
    proxy: ProxyArguments,
    /// The address to listen on; one that other machines reach needs --token-file
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7077")]
    listen: std::net::SocketAddr,
    /// A file with a token that each request must have in the header `x-trimtab-token`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = ProxyVerb::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let console = Console::open(&arguments.output_options)?;
    let token = arguments.token_file.as_deref().map(settings::token).transpose()?;
    let Some(settings) = arguments.proxy.settings(&arguments.policy_files, None, &console)? else {
        return Ok(Exit::Findings);
    };
    let runtime = runtime()?;
    runtime.block_on(async {
        let cannot = |error: std::io::Error| format!("cannot listen on {}: {error}", arguments.listen);
        let listener = TcpListener::bind(arguments.listen).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let proxy = Proxy::new(Settings { listen: address, token, ..settings }).map_err(|error| error.to_string())?;
        console.note(&format!("listening on http://{address}; status: http://{address}/_trimtab/health"));
        proxy.serve(listener, settings::interrupted()).await?;
        Ok::<(), Failure>(())
    })?;
    console.close()?;
    Ok(Exit::Success)
}
