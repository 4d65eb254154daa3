//! The arguments of `sweep` that say how a recording is read and replayed.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::{Value as Json, json};
use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Value};
use trimtab_model::model::Models;
use trimtab_report::report;
use trimtab_simulate::simulate::Options;

use crate::cli::console::Failure;
use crate::cli::load;
use crate::cli::recordings::{ErrorInference, Recordings};
use crate::cli::replay::{ReplayArguments, SummariserChoice, Summarisers, fact, summariser};
use crate::cli::simulate::determining::{hash, word};

#[derive(Args, Debug)]
pub(super) struct ReplaySettings {
    #[command(flatten)]
    pub(super) replay: ReplayArguments,
    /// The summariser: extract, fixed:TEXT, fail, command:CMD, openai:MODEL[@URL] or anthropic:MODEL[@URL]. A command gets
    /// the conversation on standard input; the last two send it to a model server
    #[arg(long, value_name = "SUMMARISER", default_value = "extract", value_parser = summariser::parse)]
    summariser: SummariserChoice,
    /// The environment variable with the key of the model server [default: `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, without
    /// URL only]
    #[arg(long, value_name = "VARIABLE")]
    summariser_key: Option<String>,
    /// Supply a fact that the policy declares with `agent { fact … }`, on every recording, such as `load=85%`; it overrides
    /// recorded values
    #[arg(long = "fact", value_name = "NAME=VALUE", value_parser = fact::parse)]
    facts: Vec<(String, String)>,
    /// Read the recordings in this format instead of detecting it
    #[arg(long, value_name = "NAME", value_parser = load::input_formats())]
    input_format: Option<String>,
    /// The file name of standard input in messages
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    #[command(flatten)]
    errors: ErrorInference,
}

impl ReplaySettings {
    pub(super) fn model(&self) -> Option<&str> {
        self.replay.model.as_deref()
    }

    pub(super) fn stdin_filename(&self) -> Option<&str> {
        self.stdin_filename.as_deref()
    }

    pub(super) fn facts(&self) -> &[(String, String)] {
        &self.facts
    }

    /// The options of each replay, with the values of declared facts.
    pub(super) fn options(&self, facts: BTreeMap<SmolStr, Value>) -> Options {
        Options { facts, ..self.replay.options() }
    }

    pub(super) fn summarisers(&self) -> Result<Summarisers, Failure> {
        Ok(self.summariser.open(self.summariser_key.as_deref())?)
    }

    /// Sets how the recordings are read.
    pub(super) fn apply_to<'a>(&'a self, recordings: &mut Recordings<'a>) {
        recordings.stdin_filename = self.stdin_filename();
        recordings.format = self.input_format.as_deref();
        recordings.errors = self.errors;
    }

    /// Everything besides plan and recording that determines an outcome.
    pub(super) fn determining(&self, constraints: &[String], above: Decimal, models: &Models) -> Json {
        json!({
            "tokens": self.replay.tokens.map(|counter| word(&counter)),
            "window": self.replay.window,
            "model": self.replay.model,
            "models": hash(&report::models_json(&models.all())),
            "prices_of": self.replay.prices.prices_of.map(|day| day.to_string()),
            "no_cache": self.replay.no_cache,
            "reasoning": word(&self.replay.reasoning),
            "confirm": word(&self.replay.confirm),
            "summariser": hash(&format!("{:?}", self.summariser)),
            "facts": self.facts,
            "input_format": self.input_format,
            "infer_errors": self.errors.infer_errors,
            "constraints": constraints,
            "above": above.to_string(),
        })
    }
}
