//! A policy as the settings of a system.
//!
//! Nothing here knows what an option means. Values are tried in the tree of the file, whose policy is compared with the wanted one:
//! the options are set one after another to the values with the fewest differences. A value of the policy is found in what two
//! values of an option change. The text is written at the end, and read again as what the table says.

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
use comparison::{Comparison, Form};
pub use loss::{RuleDifference, RulePart, SettingsLoss};

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

/// Writes a policy as settings: into the text of a file, of which only the options that differ change, or as a new file.
///
/// # Errors
/// Why the file cannot be changed: it has an error, or no place for an option.
pub fn write(wanted: &Plan, system: &'static System, file: Option<&Source>) -> Result<WrittenSettings, String> {
    let empty = Source::new(SourceId::default(), patch::file_name(system), "");
    let source = file.unwrap_or(&empty);
    let (root, _) = document::read(source, system.syntax);
    let root = root.map(|root| document::with_block(&root, system));
    let target = WriteTarget { system, wanted: Form::new(wanted.clone()), source, root, known: RefCell::default() };
    let unreadable = || format!("{} has errors", source.name());
    let mut best = Trial::new(&target, Assignment::new()).ok_or_else(unreadable)?;
    for _ in 0..PASSES {
        let before = best.rank();
        for moves in [Moves::One, Moves::WithSwitch, Moves::OneForAnother, Moves::WithAnother] {
            let near = if moves == Moves::WithAnother { near(&target, &best) } else { Vec::new() };
            for setting in system.settings {
                if best.known.comparison.cost() > 0 {
                    best = improved(&target, best, setting, moves, &near);
                }
            }
            // Two options at once take long, and are needed only where setting them one by one ends in a dead end.
            if best.known.comparison.cost() == 0 || best.rank() < before {
                break;
            }
        }
        if best.rank() == before {
            break;
        }
    }
    // Options that turned out not to be needed.
    for setting in system.settings {
        let shorter = Trial::new(&target, best.changed(setting, None));
        best = shorter.filter(|trial| trial.rank() < best.rank()).unwrap_or(best);
    }
    let text = patch::patched(source, system, &best.assignment)?;
    let again = import(&Source::new(SourceId::default(), source.name(), text.as_str()), system);
    if again.diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(unreadable());
    }
    let options = best.assignment.iter().map(|(setting, value)| (setting.key, value.clone())).collect();
    Ok(WrittenSettings { text, options, losses: best.known.losses(&target.wanted) })
}

/// What is written, and where.
struct WriteTarget<'a> {
    system: &'static System,
    wanted: Form,
    source: &'a Source,
    root: Option<Rc<Node>>,
    /// What texts of policies are. Many values of options have no effect beside others, and become the same policy.
    known: RefCell<HashMap<String, Option<Known>>>,
}

/// A policy that settings become, and how it differs from the wanted one.
#[derive(Clone)]
struct Known {
    form: Rc<Form>,
    comparison: Rc<Comparison>,
}

impl Known {
    fn losses(&self, wanted: &Form) -> Vec<SettingsLoss> {
        self.comparison.losses(wanted, &self.form)
    }
}

impl WriteTarget<'_> {
    /// Returns what the settings become with these values, or `None` if they have errors or no place for one.
    fn read(&self, assignment: &Assignment) -> Option<Known> {
        let mut root = self.root.clone();
        for (setting, value) in assignment {
            let path = root.as_ref().map_or(setting.key, |root| path_of(root, setting));
            root = Some(with_value(root.as_ref(), path, value, self.source.span())?);
        }
        let text = policy_text(self.source, self.system, root.as_ref())?;
        if let Some(known) = self.known.borrow().get(&text) {
            return known.clone();
        }
        let known = plan(&text).map(|plan| {
            let form = Form::new(plan);
            Known { comparison: Rc::new(Comparison::new(&self.wanted, &form)), form: Rc::new(form) }
        });
        self.known.borrow_mut().insert(text, known.clone());
        known
    }
}

/// How options are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    /// Another value of one option.
    One,
    /// Another value of one option, without another option, which may have been set for want of this one.
    OneForAnother,
    /// Another value of one option, beside another value of another one that alone is not much worse. One option may move two
    /// numbers, and another one only one of them.
    WithAnother,
    /// Another value of one option, and of a switch, or another one that is 0. An option may have a good effect and a bad one, which
    /// the other turns off.
    WithSwitch,
}

/// Values of options and how the policy that they become differs.
#[derive(Clone)]
struct Trial {
    assignment: Assignment,
    known: Known,
}

impl Trial {
    fn new(target: &WriteTarget<'_>, assignment: Assignment) -> Option<Self> {
        let known = target.read(&assignment)?;
        Some(Self { assignment, known })
    }

    /// What is better has fewer differences, or else fewer options.
    fn rank(&self) -> (usize, usize) {
        (self.known.comparison.cost(), self.assignment.len())
    }

    fn changed(&self, setting: &'static Setting, value: Option<&Json>) -> Assignment {
        with(&self.assignment, setting, value)
    }
}

/// The assignments with another value of one option that are not much worse, each with the key of this option.
fn near(target: &WriteTarget<'_>, best: &Trial) -> Vec<(&'static str, Assignment)> {
    // A value that depends on two options may stand in three rules.
    const MOST_WORSE: usize = 3;
    let cost = best.known.comparison.cost();
    if cost == 0 {
        return Vec::new();
    }
    let others = target.system.settings.iter().flat_map(|setting| {
        let assignments = values_beside(target, &best.assignment, setting);
        assignments.into_iter().map(|assignment| (setting.key, assignment))
    });
    let others = others.filter(|(_, other)| *other != best.assignment);
    let is_near =
        |other: &Assignment| target.read(other).is_some_and(|known| known.comparison.cost() <= cost + MOST_WORSE);
    others.filter(|(_, other)| is_near(other)).collect()
}

/// The best trial with another value of this option, or the one so far.
fn improved(
    target: &WriteTarget<'_>,
    best: Trial,
    setting: &'static Setting,
    moves: Moves,
    near: &[(&'static str, Assignment)],
) -> Trial {
    let bases: Vec<Assignment> = match moves {
        Moves::One => vec![best.assignment.clone()],
        Moves::WithSwitch => {
            let others = target.system.settings.iter().filter(|other| other.key != setting.key);
            let positions =
                |other: &'static Setting| candidate::positions(other).into_iter().map(move |value| (other, value));
            others.copied().flat_map(positions).map(|(other, value)| best.changed(other, Some(&value))).collect()
        }
        Moves::WithAnother => {
            near.iter().filter(|(key, _)| *key != setting.key).map(|(_, assignment)| assignment.clone()).collect()
        }
        Moves::OneForAnother => best.assignment.iter().map(|(other, _)| best.changed(other, None)).collect(),
    };
    let others = bases.iter().flat_map(|base| values_beside(target, base, setting));
    let trials = others.filter(|other| *other != best.assignment).filter_map(|other| Trial::new(target, other));
    trials.min_by_key(Trial::rank).filter(|trial| trial.rank() < best.rank()).unwrap_or(best)
}

/// The values of other options with each value of this one that may help, and without it. An option may have an effect only beside
/// a position of a switch, so that its values are sought beside what it is tried with.
fn values_beside(target: &WriteTarget<'_>, base: &Assignment, setting: &'static Setting) -> Vec<Assignment> {
    let read = |value: Json| Some(target.read(&with(base, setting, Some(&value)))?.form);
    let values = candidate::values(setting, read, &target.wanted);
    let values = std::iter::once(None).chain(values.into_iter().map(Some));
    values.map(|value| with(base, setting, value.as_ref())).collect()
}

/// The values with another one of an option, or without it.
fn with(assignment: &Assignment, setting: &'static Setting, value: Option<&Json>) -> Assignment {
    let mut assignment = assignment.clone();
    assignment.retain(|(other, _)| other.key != setting.key);
    assignment.extend(value.map(|value| (setting, value.clone())));
    assignment
}
