//! Project settings, `trimtab.toml`: host profiles, lint options, and the simulations that CI runs.
//!
//! This module parses the text and reports every error in one run. It opens none of the files that the settings name.

pub mod error;
mod models;
mod read;
mod value;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Quantity};
use trimtab_base::source::{SETTINGS_NAME, Source, SourceId, Span, Spanned};
use trimtab_language::check::Agent;
use trimtab_lint::lint::{Certainty, Settings};
use trimtab_model::model::Models;

/// The name of the settings file.
pub const NAME: &str = SETTINGS_NAME;

/// A project's settings.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The default profile.
    pub profile: Option<Spanned<SmolStr>>,
    /// The profiles by name.
    pub profiles: Vec<(Spanned<SmolStr>, Agent)>,
    /// The table of models with those of the project.
    pub models: Models,
    /// The lints to run.
    pub lint: LintSelection,
    /// Changes of these for some files, in order; later entries take precedence.
    pub files: Vec<(Vec<Spanned<SmolStr>>, LintSelection)>,
    /// The simulations of CI.
    pub simulations: Vec<Simulation>,
    /// The recordings that CI measures.
    pub recordings: Vec<RecordingLimits>,
    /// The share of rules and comparisons that tests must cover.
    pub coverage: Option<Decimal>,
    /// The files and directories to check if none is given on the command line.
    pub paths: Vec<Spanned<SmolStr>>,
    /// The lowest severity that fails a run.
    pub fail_level: Option<Severity>,
}

/// A selection of lints with their severities and options.
#[derive(Clone, Debug, Default)]
pub struct LintSelection {
    /// Only these lints: names, categories, or `all`.
    pub select: Option<Vec<SmolStr>>,
    /// These lints in addition.
    pub extend: Vec<SmolStr>,
    /// Not these lints.
    pub ignore: Vec<SmolStr>,
    /// The lowest certainty.
    pub certainty: Option<Certainty>,
    /// The severity of lints.
    pub severity: Vec<(SmolStr, Severity)>,
    /// Options of lints: the lint, the option, the value.
    pub settings: Vec<(SmolStr, SmolStr, Quantity)>,
}

/// A simulation and its assertions.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The policy file, relative to the settings.
    pub policy: Spanned<SmolStr>,
    /// The policy in the file, if there are several.
    pub name: Option<SmolStr>,
    /// Recordings: files, directories or globs, relative to the settings.
    pub transcripts: Vec<Spanned<SmolStr>>,
    /// The profile to use.
    pub profile: Option<Spanned<SmolStr>>,
    /// Assertions.
    pub expect: Vec<Spanned<SmolStr>>,
}

/// Recordings with limits on what they hold.
#[derive(Clone, Debug)]
pub struct RecordingLimits {
    /// Recordings: files, directories or globs, relative to the settings.
    pub transcripts: Vec<Spanned<SmolStr>>,
    /// The most that avoidable cache breaks may cost in all of them, in US dollars.
    pub max_avoidable_cost: Spanned<Decimal>,
}

impl Simulation {
    fn named_paths(&self) -> impl Iterator<Item = &Spanned<SmolStr>> {
        std::iter::once(&self.policy).chain(&self.transcripts)
    }
}

impl LintSelection {
    /// Applies the selection. Unknown names are skipped; they were reported when the file was read.
    pub fn apply_to(&self, settings: &mut Settings) {
        if let Some(words) = &self.select {
            drop(settings.select(words));
        }
        for word in &self.extend {
            drop(settings.extend(word));
        }
        for word in &self.ignore {
            drop(settings.ignore(word));
        }
        for (word, severity) in &self.severity {
            drop(settings.set_severity(word, *severity));
        }
        for (lint, name, value) in &self.settings {
            drop(settings.set_option(lint, name, *value));
        }
        if let Some(least) = self.certainty {
            settings.set_certainty(least);
        }
    }
}

impl Config {
    /// The agent of a policy file whose own `agent` block is `own`. Values of the block take precedence over the default
    /// profile, and values of a requested profile over the block.
    ///
    /// # Errors
    /// The requested profile does not exist; gives the names of all profiles.
    pub fn agent(&self, own: &Agent, requested: Option<&str>) -> Result<Agent, Vec<SmolStr>> {
        let own = &Agent { models: self.models.clone(), ..own.clone() };
        let Some(profile) = self.profile_agent(requested)? else { return Ok(own.clone()) };
        let profile = without_spans(profile);
        if requested.is_none() {
            return Ok(own.clone().with_defaults(&profile));
        }
        let mut own = own.clone();
        own.places.retain(|(word, _)| !has_field(&profile, word));
        Ok(Agent { models: own.models.clone(), ..profile.with_defaults(&own) })
    }

    /// Every path and glob of files to read.
    pub fn named_paths(&self) -> impl Iterator<Item = &Spanned<SmolStr>> {
        let simulated = self.simulations.iter().flat_map(Simulation::named_paths);
        self.paths.iter().chain(simulated).chain(self.recordings.iter().flat_map(|one| &one.transcripts))
    }

    /// The agent of the named profile, or else of the default one, if there is one.
    ///
    /// # Errors
    /// The profile does not exist; gives the names of all profiles.
    pub fn profile_agent(&self, name: Option<&str>) -> Result<Option<&Agent>, Vec<SmolStr>> {
        let Some(name) = name.or(self.profile.as_ref().map(|profile| profile.node.as_str())) else { return Ok(None) };
        match self.profiles.iter().find(|(profile, _)| profile.node == name) {
            Some((_, agent)) => Ok(Some(agent)),
            None => Err(self.profiles.iter().map(|(profile, _)| profile.node.clone()).collect()),
        }
    }
}

/// A profile without spans, which would point into the settings rather than into a policy.
fn without_spans(profile: &Agent) -> Agent {
    let nowhere = Span::new(SourceId::SETTINGS, 0, 0);
    Agent {
        model: profile.model.as_ref().map(|model| Spanned::new(model.node.clone(), nowhere)),
        window: profile.window.map(|window| Spanned::new(window.node, nowhere)),
        places: Vec::new(),
        ..profile.clone()
    }
}

/// Whether an agent has a value for this field.
fn has_field(agent: &Agent, word: &str) -> bool {
    match word {
        "model" => agent.model.is_some(),
        "window" => agent.window.is_some(),
        "reserve" => agent.reserve.is_some(),
        "overhead" => agent.overhead.is_some(),
        "tools" => agent.tools.is_some(),
        _ => false,
    }
}

/// Reads settings. Entries with errors are left out.
pub fn read(source: &Source) -> (Config, Vec<Diagnostic>) {
    read::config(source)
}

#[cfg(test)]
mod tests;
