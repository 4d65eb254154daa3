//! The options that determine the results, for results that are merged.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use trimtab_base::playbook::Playbook;
use trimtab_model::model::Models;
use trimtab_report::report;

use super::Simulate;
use crate::cli::replay::SummariserChoice;

impl Simulate {
    /// The options that determine the result of a transcript, as the user gave them. A file stands as a hash of its content.
    pub(super) fn determining_options(&self, playbook: Option<&Playbook>, models: &Models) -> Map<String, Json> {
        let mut facts: Vec<String> =
            self.supplied.facts.iter().map(|(name, value)| format!("{name}={value}")).collect();
        facts.sort_unstable();
        let options = [
            ("tokens", json!(self.replay.tokens.map(|counter| word(&counter)))),
            ("window", json!(self.replay.window)),
            ("model", json!(self.replay.model)),
            ("models_hash", json!((*models != Models::default()).then(|| hash(&report::models_json(&models.all()))))),
            ("prices_of", json!(self.replay.prices.prices_of.map(|day| day.to_string()))),
            ("no_cache", json!(self.replay.no_cache)),
            ("reasoning", json!(word(&self.replay.reasoning))),
            ("confirm", json!(word(&self.replay.confirm))),
            ("summariser", json!(self.summariser.name())),
            ("playbook_hash", json!(playbook.map(hash))),
            ("facts", json!(facts)),
            ("assertions", json!(self.assertions)),
            ("quotes", json!(self.quotes)),
            ("explain", json!(self.explain.as_ref().map(ToString::to_string))),
            ("input_format", json!(self.input.input_format)),
            ("sample", json!(self.input.sampling.size().map(|(size, seed)| json!({ "size": size, "seed": seed })))),
        ];
        options.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }
}

impl SummariserChoice {
    /// Its name in results. Four digits of a hash tell commands and servers apart, without revealing a key in them.
    fn name(&self) -> String {
        let digest = |text: &str| hash(&text).unwrap_or_default().chars().take(4).collect::<String>();
        match self {
            Self::Extract => "extract".to_owned(),
            Self::Fail => "fail".to_owned(),
            Self::ConstantSummariser(text) => format!("fixed:{text}"),
            Self::Command(line) => format!("command #{}", digest(line)),
            Self::Server(server) => format!("server #{}", digest(&format!("{server:?}"))),
            #[cfg(test)]
            Self::Panics => "panics".to_owned(),
        }
    }
}

/// The name of a value on the command line.
pub(in super::super) fn word(value: &impl clap::ValueEnum) -> Option<String> {
    value.to_possible_value().map(|value| value.get_name().to_owned())
}

pub(in super::super) fn hash(value: &impl Serialize) -> Option<String> {
    let text = serde_json::to_vec(value).ok()?;
    Some(Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect())
}
