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
use crate::source::{Source, Spanned};

/// What the file is called.
pub const NAME: &str = "trimtab.toml";

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
            drop(settings.set_knob(lint, name, *value));
        }
        if let Some(least) = self.certainty {
            settings.set_certainty(least);
        }
    }
}

impl Config {
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

/// Whether a file of this name holds settings.
pub fn looks_like(name: &str) -> bool {
    name.rsplit(['/', '\\']).next() == Some(NAME)
}

/// Reads settings; what is wrong in them is left out of the result.
pub fn read(source: &Source) -> (Config, Vec<Diagnostic>) {
    read::config(source)
}

#[cfg(test)]
mod tests;
