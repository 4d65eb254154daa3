//! The project's settings, `trimtab.toml`: profiles of hosts, which lints speak, what simulations must show.
//!
//! In: its text. Out: the settings, and diagnostics with spans, all at once. It does not know where the file lies,
//! and opens none of the files that it names.

pub mod error;
mod read;
mod value;

use smol_str::SmolStr;

use crate::check::Agent;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Certainty, Settings};
use crate::quantity::{Decimal, Quantity};
use crate::source::{SETTINGS_NAME, Source, SourceId, Span, Spanned};

/// What the file is called.
pub const NAME: &str = SETTINGS_NAME;

/// A project's settings.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The profile that counts when none is asked for.
    pub profile: Option<Spanned<SmolStr>>,
    /// Hosts by name.
    pub profiles: Vec<(Spanned<SmolStr>, Agent)>,
    /// Which lints speak.
    pub lint: Choice,
    /// The same for some files, in order; later ones come on top.
    pub files: Vec<(Vec<Spanned<SmolStr>>, Choice)>,
    /// Simulations and what they must show.
    pub simulations: Vec<Simulation>,
    /// The share of rules and comparisons that tests must cover.
    pub coverage: Option<Decimal>,
    /// The files and folders that are looked at when none is named.
    pub paths: Vec<Spanned<SmolStr>>,
    /// From which severity on findings fail a run.
    pub fail_level: Option<Severity>,
}

/// Which lints speak, how loud, and with which limits.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only these: names, categories, `all`.
    pub select: Option<Vec<SmolStr>>,
    /// These, too.
    pub extend: Vec<SmolStr>,
    /// Not these.
    pub ignore: Vec<SmolStr>,
    /// None that is less sure.
    pub certainty: Option<Certainty>,
    /// How loud.
    pub severity: Vec<(SmolStr, Severity)>,
    /// Limits: the lint, the setting, the value.
    pub settings: Vec<(SmolStr, SmolStr, Quantity)>,
}

/// A simulation and what it must show.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The policy file, relative to the settings.
    pub policy: Spanned<SmolStr>,
    /// The policy in it, when there are several.
    pub name: Option<SmolStr>,
    /// Recordings: files, directories or globs, relative to the settings.
    pub transcripts: Vec<Spanned<SmolStr>>,
    /// The host.
    pub profile: Option<Spanned<SmolStr>>,
    /// Assertions.
    pub expect: Vec<Spanned<SmolStr>>,
}

impl Choice {
    /// Puts the choice on top of settings. What names no lint was reported when the file was read, and is left out.
    pub fn onto(&self, settings: &mut Settings) {
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
    /// What counts of the host of a policy whose file says `own`: what it says itself, with the profile that counts by
    /// itself in the gaps. A profile that is asked for comes first, and what the file says fills the gaps.
    ///
    /// # Errors
    /// When no profile has the name that is asked for; the names there are.
    pub fn agent(&self, own: &Agent, asked: Option<&str>) -> Result<Agent, Vec<SmolStr>> {
        let Some(profile) = self.host(asked)? else { return Ok(own.clone()) };
        let profile = elsewhere(profile);
        if asked.is_none() {
            return Ok(own.clone().under(&profile));
        }
        let mut own = own.clone();
        own.places.retain(|(word, _)| !says(&profile, word));
        Ok(profile.under(&own))
    }

    /// The host of a profile: the named one, else the one that counts by itself; none when there is none.
    ///
    /// # Errors
    /// When no profile has the name; the names there are.
    pub fn host(&self, name: Option<&str>) -> Result<Option<&Agent>, Vec<SmolStr>> {
        let Some(name) = name.or(self.profile.as_ref().map(|profile| profile.node.as_str())) else { return Ok(None) };
        match self.profiles.iter().find(|(profile, _)| profile.node == name) {
            Some((_, agent)) => Ok(Some(agent)),
            None => Err(self.profiles.iter().map(|(profile, _)| profile.node.clone()).collect()),
        }
    }
}

/// A profile whose values point at no text, since the texts at hand are those of policies.
fn elsewhere(profile: &Agent) -> Agent {
    let nowhere = Span::new(SourceId::SETTINGS, 0, 0);
    Agent {
        model: profile.model.as_ref().map(|model| Spanned::new(model.node.clone(), nowhere)),
        window: profile.window.map(|window| Spanned::new(window.node, nowhere)),
        places: Vec::new(),
        ..profile.clone()
    }
}

/// Whether an agent says something behind this word.
fn says(agent: &Agent, word: &str) -> bool {
    match word {
        "model" => agent.model.is_some(),
        "window" => agent.window.is_some(),
        "reserve" => agent.reserve.is_some(),
        "overhead" => agent.overhead.is_some(),
        "tools" => agent.tools.is_some(),
        _ => false,
    }
}

/// Reads settings; what is wrong in them is left out of the result.
pub fn read(source: &Source) -> (Config, Vec<Diagnostic>) {
    read::config(source)
}

#[cfg(test)]
mod tests;
