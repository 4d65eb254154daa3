//! Settings with the options of adjustments.

use serde_json::Value as Json;
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{Source, SourceId};

use super::adjustment::Adjustment;
use super::descriptor::System;
use super::import::import;
use super::patch::{self, Assignment};
use super::row::Row;

/// Options with their values as JSON.
#[derive(Clone, Debug, Default)]
pub struct OptionValues(Assignment);

impl OptionValues {
    /// These options with the options of another adjustment, which take precedence, in the order of the system's table.
    #[must_use]
    pub fn with(&self, other: &Self, system: &System) -> Self {
        let mut all = self.0.clone();
        all.retain(|(setting, _)| other.0.iter().all(|(changed, _)| changed.key != setting.key));
        all.extend(other.0.iter().cloned());
        all.sort_by_key(|(setting, _)| system.settings.iter().position(|other| other.key == setting.key));
        Self(all)
    }

    /// Whether no option is changed.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Json)> {
        self.0.iter().map(|(setting, value)| (setting.key, value))
    }
}

impl Adjustment {
    /// The alternatives to try that fit a window of this many tokens.
    pub fn trials(&self, window: Option<u64>) -> Vec<OptionValues> {
        let fitting = self
            .alternatives
            .iter()
            .filter(|options| options.iter().all(|(setting, value)| value.fits(setting, window)));
        fitting
            .map(|options| OptionValues(options.iter().map(|(setting, value)| (*setting, value.json())).collect()))
            .collect()
    }
}

/// Settings with some options changed.
#[derive(Clone, Debug)]
pub struct AdjustedSettings {
    /// The settings as the system reads them.
    pub text: String,
    /// The settings imported as a policy.
    pub policy: String,
    /// What each option became.
    pub rows: Vec<Row>,
}

/// The settings of a file, or the defaults of a system, with these options changed.
///
/// # Errors
/// If the file has an error, or no place for an option.
pub fn adjusted(
    system: &'static System,
    file: Option<&Source>,
    options: &OptionValues,
) -> Result<AdjustedSettings, String> {
    let empty = Source::new(SourceId::default(), patch::file_name(system), "");
    let source = file.unwrap_or(&empty);
    let text = patch::patched(source, system, &options.0)?;
    let import = import(&Source::new(SourceId::default(), source.name(), text.as_str()), system);
    match import.diagnostics.into_iter().find(|finding| finding.severity == Severity::Error) {
        Some(error) => Err(error.message),
        None => Ok(AdjustedSettings { text, policy: import.text, rows: import.rows }),
    }
}
