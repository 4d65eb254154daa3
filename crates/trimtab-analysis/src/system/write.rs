//! A policy as the settings of a system.
//!
//! Nothing here knows what an option means. Settings are tried, read again and compared with the policy: the options are set one
//! after another to the values with the fewest differences. A value of the policy is found in what two values of an option change.
//! So what is written is read again as what the table says.

mod candidate;
mod comparison;

use serde_json::Value as Json;
use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::{self, SourceUnit};
use trimtab_language::plan::{self, Plan};

use super::descriptor::System;
use super::import::import;
use super::patch::{self, Assignment};
use super::setting::Setting;
use super::syntax::Syntax;
use comparison::Comparison;

/// The number of times that all options are tried. An option may have an effect only when another one is set.
const PASSES: usize = 3;

/// A policy as settings.
#[derive(Clone, Debug)]
pub struct WrittenSettings {
    /// The file.
    pub text: String,
    /// The options that were set, with their values as JSON.
    pub options: Vec<(&'static str, Json)>,
    /// What the settings do not say, or say differently.
    pub losses: Vec<SettingsLoss>,
}

/// A part of a policy that settings do not say, or something that the system does besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsLoss {
    /// The part, such as ``rule `a` ``.
    pub part: String,
    /// What is different.
    pub reason: String,
}

/// Writes a policy as settings: into the text of a file, of which only the options that differ change, or as a new file.
///
/// # Errors
/// Why the file cannot be changed.
pub fn write(plan: &Plan, system: &'static System, file: Option<&Source>) -> Result<WrittenSettings, String> {
    let empty = Source::new(SourceId::default(), patch::file_name(system), "");
    let target = Target { system, plan, file: file.unwrap_or(&empty) };
    let mut best = Trial::new(&target, Assignment::new())?;
    for _ in 0..PASSES {
        let before = best.comparison.cost();
        for setting in system.settings {
            best = improved(&target, best, setting);
        }
        if best.comparison.cost() == before {
            break;
        }
    }
    let options = best.assignment.iter().map(|(setting, value)| (setting.key, value.clone())).collect();
    Ok(WrittenSettings { text: best.text, options, losses: best.comparison.losses() })
}

/// What is written, and where.
struct Target<'a> {
    system: &'static System,
    plan: &'a Plan,
    file: &'a Source,
}

/// Values of options and how the policy that they become differs.
struct Trial {
    assignment: Assignment,
    text: String,
    comparison: Comparison,
}

impl Trial {
    fn new(target: &Target<'_>, assignment: Assignment) -> Result<Self, String> {
        let text = patch::patched(target.file, target.system, &assignment)?;
        let read = read(target, &text).ok_or("the settings with the new values cannot be read")?;
        Ok(Self { comparison: Comparison::new(target.plan, &read), text, assignment })
    }

    /// With another value of an option, and perhaps without another option.
    fn with(
        &self,
        target: &Target<'_>,
        setting: &'static Setting,
        value: Option<Json>,
        dropped: Option<&str>,
    ) -> Option<Self> {
        let mut assignment = self.assignment.clone();
        assignment.retain(|(other, _)| other.key != setting.key && Some(other.key) != dropped);
        assignment.extend(value.map(|value| (setting, value)));
        Self::new(target, assignment).ok()
    }
}

/// The best trial with another value of this option, or the one so far.
fn improved(target: &Target<'_>, best: Trial, setting: &'static Setting) -> Trial {
    let values = candidate::values(
        setting,
        |value| {
            let trial = best.with(target, setting, Some(value), None)?;
            read(target, &trial.text)
        },
        target.plan,
    );
    let others = std::iter::once(None).chain(values.into_iter().map(Some));
    // An option may have been set for want of this one.
    let kept = std::iter::once(None).chain(best.assignment.iter().map(|(other, _)| Some(other.key)));
    let kept: Vec<Option<&str>> = kept.filter(|key| *key != Some(setting.key)).collect();
    let pairs = others.flat_map(|value| kept.iter().map(move |dropped| (value.clone(), *dropped)));
    let trials: Vec<Trial> = pairs.filter_map(|(value, dropped)| best.with(target, setting, value, dropped)).collect();
    trials.into_iter().fold(best, |best, trial| {
        let (new, old) = (trial.comparison.cost(), best.comparison.cost());
        let is_shorter = trial.assignment.len() < best.assignment.len();
        if new < old || new == old && is_shorter { trial } else { best }
    })
}

/// The policy that a settings file becomes; none if it has errors.
fn read(target: &Target<'_>, text: &str) -> Option<Plan> {
    let source = Source::new(SourceId::default(), target.file.name(), text);
    debug_assert_eq!(Syntax::of(&source), target.system.syntax);
    let import = import(&source, target.system);
    let is_error = |severity| severity == trimtab_base::diagnostic::Severity::Error;
    if import.diagnostics.iter().any(|finding| is_error(finding.severity)) {
        return None;
    }
    let (checked, _) = check::check_all(&[SourceUnit { file: &import.tree, uses: &[] }]);
    plan::lower(&checked?, None).ok()
}
