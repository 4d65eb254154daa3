//! `trimtab run` and `trimtab proxy` in a build without the feature `proxy`.

use clap::{Arg, ArgMatches, Command};

use super::console::Failure;
use super::{Exit, Subcommand};

pub(super) static RUN: Subcommand = Subcommand { name: "run", about: ABOUT, arguments, run: fail };
pub(super) static PROXY: Subcommand = Subcommand { name: "proxy", about: ABOUT, arguments, run: fail };

const ABOUT: &str = "Run a policy live; this build lacks it, install it with the feature `proxy`";

fn arguments(command: Command) -> Command {
    command.arg(Arg::new("arguments").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true))
}

fn fail(_: &ArgMatches) -> Result<Exit, Failure> {
    Err("this build has no proxy; install it with `cargo install --path . --features proxy`".to_owned().into())
}
