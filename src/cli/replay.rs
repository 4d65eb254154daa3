//! What subcommands that replay recordings share: how they name policies and recordings, and the options of a replay.

mod batch;
mod confirm;
mod counting;
pub(super) mod fact;
mod inputs;
pub(super) mod playbook;
mod policy_path;
pub(super) mod summariser;

use std::path::PathBuf;

use clap::Args;
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::{Options, Tokens};

pub(super) use self::batch::{Batch, exit, has_result};
pub(super) use self::confirm::Confirm;
use self::counting::{Counter, Reasoning};
pub(super) use self::inputs::Inputs;
pub(super) use self::summariser::{SummariserChoice, Summarisers};
use super::console::{Console, Failure};
use super::prices::PriceArguments;
use super::project::Project;
use super::recordings::{ErrorInference, Jobs, Sampling};
use super::{input, load};

/// Which policy is replayed, and how contexts and costs are counted.
#[derive(Args, Debug)]
pub(super) struct ReplayArguments {
    /// The policy to use, if the file defines several
    #[arg(long, value_name = "NAME")]
    pub(super) policy: Option<String>,
    /// How tokens are counted [default: reported if the recording has usage, else exact if
    /// the tables of the tokenizer are built in, else estimate]
    #[arg(long, value_enum)]
    pub(super) tokens: Option<Counter>,
    /// The context window in tokens, such as 200000 or 200k
    #[arg(long, value_name = "N", value_parser = window)]
    pub(super) window: Option<u64>,
    /// The model, for its window and prices
    #[arg(long, value_name = "ID")]
    pub(super) model: Option<String>,
    #[command(flatten)]
    pub(super) prices: PriceArguments,
    /// Price all input as uncached, for comparison
    #[arg(long)]
    pub(super) no_cache: bool,
    /// What the host does with reasoning that an edit invalidates, for models that bind it to the prompt
    #[arg(long, value_enum, default_value_t)]
    pub(super) reasoning: Reasoning,
    /// How a person answers the questions of rules with `confirm`
    #[arg(long, value_enum, default_value_t, value_name = "ANSWER")]
    pub(super) confirm: Confirm,
}

/// What a replay begins with.
#[derive(Args, Debug)]
pub(super) struct SuppliedArguments {
    /// A file with the playbook with which each recording begins [default: that of the recorded session, else empty]
    #[arg(long, value_name = "FILE")]
    pub(super) playbook: Option<PathBuf>,
    /// Supply a fact that the policy declares with `agent { fact … }`, on every recording, such as `load=85%`; it overrides
    /// recorded values
    #[arg(long = "fact", value_name = "NAME=VALUE", value_parser = fact::parse)]
    pub(super) facts: Vec<(String, String)>,
}

/// How recordings are read.
#[derive(Args, Debug)]
pub(super) struct InputArguments {
    /// Read the recordings in this format instead of detecting it
    #[arg(long, value_name = "NAME", value_parser = load::input_formats())]
    pub(super) input_format: Option<String>,
    /// The file name of standard input in messages
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,
    #[command(flatten)]
    pub(super) errors: ErrorInference,
    #[command(flatten)]
    pub(super) sampling: Sampling,
    #[command(flatten)]
    pub(super) jobs: Jobs,
}

/// Parses the size of a context window.
pub(super) fn window(text: &str) -> Result<u64, String> {
    let text = text.trim_end_matches(" tokens").trim();
    let thousands = text.strip_suffix(['k', 'K']).map(|number| (number, 1_000));
    let millions = || text.strip_suffix('M').map(|number| (number, 1_000_000));
    let (number, factor) = thousands.or_else(millions).unwrap_or((text, 1));
    let number: u64 =
        number.replace('_', "").parse().map_err(|_| "expected a whole number of tokens, such as 200000 or 200k")?;
    if number == 0 {
        return Err("a window holds at least one token".to_owned());
    }
    number.checked_mul(factor).ok_or_else(|| "the number is too large".to_owned())
}

/// The policy files and the recordings: without named policies, the first path is the only policy.
pub(super) fn split<'a>(
    subcommand: &str,
    policies: &'a [PathBuf],
    paths: &'a [PathBuf],
) -> Result<(&'a [PathBuf], &'a [PathBuf]), Failure> {
    if !policies.is_empty() {
        return Ok((policies, paths));
    }
    let (policy, transcripts) = paths.split_at(1.min(paths.len()));
    policy_path::check_order(subcommand, policy, transcripts)?;
    if transcripts.is_empty() {
        return Err(Failure::Message(format!("no recording is given: trimtab {subcommand} POLICY RECORDING")));
    }
    Ok((policy, transcripts))
}

impl ReplayArguments {
    /// Returns the plan of each policy file, with its name, or `None` if one has errors, which are printed.
    pub(super) fn plans(
        &self,
        policies: &[PathBuf],
        stdin_filename: Option<&str>,
        project: &Project,
        console: &Console,
    ) -> Result<Option<Vec<(String, Plan)>>, Failure> {
        let mut plans = Vec::with_capacity(policies.len());
        for path in policies {
            let name = input::display_name(path, stdin_filename);
            if let Some(plan) = load::plan(path, &name, self.policy.as_deref(), project, console)? {
                plans.push((name, plan));
            }
        }
        Ok((plans.len() == policies.len()).then_some(plans))
    }

    /// The options of every replay.
    pub(super) fn options(&self) -> Options {
        Options {
            tokens: self.tokens.map_or(Tokens::Best, Tokens::from),
            window: self.window,
            model: self.model.clone(),
            prices_of: self.prices.prices_of,
            without_cache: self.no_cache,
            reasoning: self.reasoning.into(),
            confirm: self.confirm.into(),
            ..Options::default()
        }
    }
}

/// The recordings of some paths.
pub(super) fn recordings(transcripts: &[PathBuf], allow_empty: bool) -> Result<Vec<PathBuf>, Failure> {
    let paths = input::files(transcripts, load::RECORDINGS)?;
    if paths.is_empty() && !allow_empty {
        return Err(Failure::Message("no recording was found (--allow-empty accepts this)".to_owned()));
    }
    Ok(paths)
}
