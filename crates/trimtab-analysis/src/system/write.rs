//! A policy as the settings of a system.
//!
//! This is a local search that does not know what an option means. Each step sets the option value with which the
//! settings, imported as a policy, differ least from the wanted policy. Candidate values come from importing two values
//! of an option and seeing which number of the policy changes. At the end the file is patched, and imported again to
//! check it.

mod candidate;
mod comparison;
mod direction;
mod loss;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value as Json;
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{Source, SourceId};
use trimtab_language::plan::Plan;
use trimtab_syntax::syntax::yaml::node::Node;

use super::descriptor::System;
use super::document::{self, path_of, with_value};
use super::import::{import, plan, policy_text};
use super::patch::{self, Assignment};
use super::setting::Setting;
use comparison::{Comparison, PolicyJson};
pub use loss::{RuleDifference, RulePart, SettingsLoss};

/// How often all options are tried, since an option may have an effect only when another one is set.
const PASSES: usize = 3;

/// A policy as settings.
#[derive(Clone, Debug)]
pub struct WrittenSettings {
    /// The file.
    pub text: String,
    /// The options that were set, with their values as JSON.
    pub options: Vec<(&'static str, Json)>,
    /// What the settings cannot express, or express differently.
    pub losses: Vec<SettingsLoss>,
}

/// Writes a policy as settings, into a new file or into the text of an existing one, where only options that differ
/// change.
///
/// # Errors
/// If the file has an error, or no place for an option.
pub fn write(wanted: &Plan, system: &'static System, file: Option<&Source>) -> Result<WrittenSettings, String> {
    let empty = Source::new(SourceId::default(), patch::file_name(system), "");
    let source = file.unwrap_or(&empty);
    let (root, _) = document::read(source, system.syntax);
    let root = root.map(|root| document::with_block(&root, system));
    let wanted = PolicyJson::new(wanted.clone());
    let target = WriteTarget { system, wanted, source, root, imported: RefCell::default() };
    let unreadable = || format!("{} has errors", source.name());
    let mut best = Trial::new(&target, Assignment::new()).ok_or_else(unreadable)?;
    for _ in 0..PASSES {
        let before = best.rank();
        for step in [Step::SetOne, Step::SetWithSwitch, Step::Replace, Step::SetTwo] {
            let alternatives = if step == Step::SetTwo { near_assignments(&target, &best) } else { Vec::new() };
            for setting in system.settings {
                if best.cost() > 0 {
                    best = improved(&target, best, setting, step, &alternatives);
                }
            }
            // The later kinds of steps take longer, and are needed only where the earlier ones end in a dead end.
            if best.cost() == 0 || best.rank() < before {
                break;
            }
        }
        if best.rank() == before {
            break;
        }
    }
    // Unset the options that turned out not to be needed.
    for setting in system.settings {
        let shorter = Trial::new(&target, best.changed(setting, None));
        best = shorter.filter(|trial| trial.rank() < best.rank()).unwrap_or(best);
    }
    let text = patch::patched(source, system, &best.assignment)?;
    let reimported = import(&Source::new(SourceId::default(), source.name(), text.as_str()), system);
    if reimported.diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(unreadable());
    }
    let options = best.assignment.iter().map(|(setting, value)| (setting.key, value.clone())).collect();
    Ok(WrittenSettings { text, options, losses: best.imported.losses(&target.wanted) })
}

/// The wanted policy, and the file that it is written into.
struct WriteTarget<'a> {
    system: &'static System,
    wanted: PolicyJson,
    source: &'a Source,
    root: Option<Rc<Node>>,
    /// Policies that were already imported, by their text: many values of options have no effect beside others, and
    /// result in the same policy.
    imported: RefCell<HashMap<String, Option<ImportedPolicy>>>,
}

/// Settings imported as a policy, and how it differs from the wanted one.
#[derive(Clone)]
struct ImportedPolicy {
    policy: Rc<PolicyJson>,
    comparison: Rc<Comparison>,
}

impl ImportedPolicy {
    fn losses(&self, wanted: &PolicyJson) -> Vec<SettingsLoss> {
        self.comparison.losses(wanted, &self.policy)
    }
}

impl WriteTarget<'_> {
    /// Imports the settings with these values. Returns `None` if they have errors, or no place for a value.
    fn import_with(&self, assignment: &Assignment) -> Option<ImportedPolicy> {
        let mut root = self.root.clone();
        for (setting, value) in assignment {
            let path = root.as_ref().map_or(setting.key, |root| path_of(root, setting));
            root = Some(with_value(root.as_ref(), path, value, self.source.span())?);
        }
        let text = policy_text(self.source, self.system, root.as_ref())?;
        if let Some(imported) = self.imported.borrow().get(&text) {
            return imported.clone();
        }
        let imported = plan(&text).map(|plan| {
            let policy = PolicyJson::new(plan);
            ImportedPolicy { comparison: Rc::new(Comparison::new(&self.wanted, &policy)), policy: Rc::new(policy) }
        });
        self.imported.borrow_mut().insert(text, imported.clone());
        imported
    }
}

/// A kind of step of the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Sets one option.
    SetOne,
    /// Sets one option and unsets another, which may only have been set as a substitute.
    Replace,
    /// Sets two options, one of which alone is not much worse. One may change two numbers of the policy, and the other
    /// only one of them.
    SetTwo,
    /// Sets one option, and a switch to one of its positions or another option to 0. The first may have a wanted and an
    /// unwanted effect, and the second may turn off the unwanted one.
    SetWithSwitch,
}

/// Values of options, and the policy that they are imported as.
#[derive(Clone)]
struct Trial {
    assignment: Assignment,
    imported: ImportedPolicy,
}

impl Trial {
    fn new(target: &WriteTarget<'_>, assignment: Assignment) -> Option<Self> {
        let imported = target.import_with(&assignment)?;
        Some(Self { assignment, imported })
    }

    /// How much the imported policy differs from the wanted one.
    fn cost(&self) -> usize {
        self.imported.comparison.cost()
    }

    /// Lower is better: fewer differences, then fewer options.
    fn rank(&self) -> (usize, usize) {
        (self.cost(), self.assignment.len())
    }

    fn changed(&self, setting: &'static Setting, value: Option<&Json>) -> Assignment {
        with_option(&self.assignment, setting, value)
    }
}

/// The assignments that differ from the best one in one option and are not much worse, each with the key of this
/// option; if little differs, also those with another option beside a switch.
fn near_assignments(target: &WriteTarget<'_>, best: &Trial) -> Vec<(&'static str, Assignment)> {
    // A value that two options set together may occur in three rules, each of which then counts as one more difference.
    const MAX_COST_INCREASE: usize = 3;
    let cost = best.cost();
    if cost == 0 {
        return Vec::new();
    }
    let others = target.system.settings.iter().flat_map(|setting| {
        let assignments = with_each_value(target, &best.assignment, setting);
        assignments.into_iter().map(|assignment| (setting.key, assignment))
    });
    let others = others.filter(|(_, other)| *other != best.assignment);
    let is_near = |other: &Assignment| {
        target.import_with(other).is_some_and(|imported| imported.comparison.cost() <= cost + MAX_COST_INCREASE)
    };
    let mut near: Vec<(&'static str, Assignment)> = others.filter(|(_, other)| is_near(other)).collect();
    if cost > MAX_COST_INCREASE {
        return near;
    }
    // Almost nothing differs. A switch may bring other defaults of two options, and a limit may hide them, so that both must be set
    // beside it.
    for switch in target.system.settings {
        let positions = candidate::positions(switch).into_iter().map(|position| best.changed(switch, Some(&position)));
        for assignment in positions.filter(|assignment| is_near(assignment)) {
            let switched = target.import_with(&assignment);
            let has_effect = |pair: &Assignment| {
                let both = target.import_with(pair).zip(switched.as_ref());
                both.is_some_and(|(pair, switched)| !Rc::ptr_eq(&pair.policy, &switched.policy))
            };
            for setting in target.system.settings.iter().filter(|setting| setting.key != switch.key) {
                let pairs = with_each_value(target, &assignment, setting).into_iter();
                near.extend(pairs.filter(|pair| is_near(pair) && has_effect(pair)).map(|pair| (switch.key, pair)));
            }
        }
    }
    near
}

/// The best trial after one step with this option, or `best` if no step improves it. `alternatives` are assignments
/// that differ from `best` in another option, each with the key of that option.
fn improved(
    target: &WriteTarget<'_>,
    best: Trial,
    setting: &'static Setting,
    step: Step,
    alternatives: &[(&'static str, Assignment)],
) -> Trial {
    let bases: Vec<Assignment> = match step {
        Step::SetOne => vec![best.assignment.clone()],
        Step::SetWithSwitch => {
            let others = target.system.settings.iter().filter(|other| other.key != setting.key);
            let positions =
                |other: &'static Setting| candidate::positions(other).into_iter().map(move |value| (other, value));
            others.copied().flat_map(positions).map(|(other, value)| best.changed(other, Some(&value))).collect()
        }
        Step::SetTwo => alternatives
            .iter()
            .filter(|(key, _)| *key != setting.key)
            .map(|(_, assignment)| assignment.clone())
            .collect(),
        Step::Replace => best.assignment.iter().map(|(other, _)| best.changed(other, None)).collect(),
    };
    let assignments = bases.iter().flat_map(|base| with_each_value(target, base, setting));
    let changed = assignments.filter(|assignment| *assignment != best.assignment);
    let trials = changed.filter_map(|assignment| Trial::new(target, assignment));
    trials.min_by_key(Trial::rank).filter(|trial| trial.rank() < best.rank()).unwrap_or(best)
}

/// `base` with each promising value of this option, and without the option. Candidates are computed relative to `base`,
/// because an option may only have an effect while a switch is on.
fn with_each_value(target: &WriteTarget<'_>, base: &Assignment, setting: &'static Setting) -> Vec<Assignment> {
    let import_with = |value: Json| Some(target.import_with(&with_option(base, setting, Some(&value)))?.policy);
    let values = candidate::values(setting, import_with, &target.wanted);
    let values = std::iter::once(None).chain(values.into_iter().map(Some));
    values.map(|value| with_option(base, setting, value.as_ref())).collect()
}

/// These values with another value of an option, or without the option.
fn with_option(assignment: &Assignment, setting: &'static Setting, value: Option<&Json>) -> Assignment {
    let mut assignment = assignment.clone();
    assignment.retain(|(other, _)| other.key != setting.key);
    assignment.extend(value.map(|value| (setting, value.clone())));
    assignment
}
