//! The combinations that are tried, and their plans.

use std::collections::HashMap;

use trimtab_analysis::sweep::{Grid, Parameter, Variation};
use trimtab_base::source::SourceId;
use trimtab_language::plan::Plan;
use trimtab_lint::lint;
use trimtab_report::report::{SweptParameter, list, whole};

use super::MAX_COMBINATIONS;
use super::policy_file::PolicyFile;
use crate::cli::console::{Console, Failure};
use crate::cli::policy;
use crate::cli::project::Project;

/// The most errors of values that are printed.
const MAX_PRINTED: usize = 3;

/// All combinations, the file as written first.
pub(super) struct Combinations {
    pub(super) parameters: Vec<SweptParameter>,
    /// How many there are in the grid.
    pub(super) possible: usize,
    /// How many of them are tried.
    pub(super) tried: usize,
    /// The different plans. Combinations with the same plan are replayed once.
    pub(super) plans: Vec<Plan>,
    all: Vec<Combination>,
}

struct Combination {
    /// The value of each parameter.
    settings: Vec<String>,
    /// The text of the policy file with these values.
    text: String,
    /// The index of its plan.
    plan: usize,
}

impl Combinations {
    /// The combinations of all values, or `chosen` of them with a seed; none if a policy has errors, which are printed.
    pub(super) fn of(
        file: &PolicyFile,
        variations: &[Variation],
        (chosen, seed): (Option<usize>, u64),
        project: &Project,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let parameters = parameters(file, variations)?;
        let possible = Grid::new(variations.iter().map(|one| one.values.len()).collect());
        let limit = chosen.unwrap_or(MAX_COMBINATIONS);
        let Some(grid) = possible.filter(|grid| chosen.is_some() || grid.total() <= limit) else {
            return Err(Failure::Message(format!(
                "there are more than {} combinations; try some of them with --samples, or fewer values",
                whole(MAX_COMBINATIONS)
            )));
        };
        let mut all = Self::new(file, variations, &parameters, grid.total());
        if !check_each_value(file, variations, &parameters, (project, console))? {
            return Ok(None);
        }
        let positions: Vec<_> = chosen.map_or_else(|| grid.all().collect(), |count| grid.sample(count, seed));
        all.tried = positions.len();
        let mut known: HashMap<String, usize> = HashMap::from([(file.plan.hash.clone(), 0)]);
        for positions in positions {
            let settings = variations.iter().zip(positions);
            let settings: Vec<&str> = settings.filter_map(|(one, at)| one.values.get(at).map(String::as_str)).collect();
            let text = edited(file, parameters.iter().copied().zip(settings.iter().copied()))?;
            let (compiled, plan) = file.compile(&text, project)?;
            let Some(plan) = plan else {
                let with = with_settings(variations, &settings);
                policy::print_findings(&compiled, console);
                console.error(&format!("error: {} has errors with {with}", file.name));
                return Ok(None);
            };
            if text == file.text {
                continue;
            }
            let next = all.plans.len();
            let at = *known.entry(plan.hash.clone()).or_insert(next);
            if at == next {
                all.plans.push(plan);
            }
            let settings = settings.into_iter().map(str::to_owned).collect();
            all.all.push(Combination { settings, text, plan: at });
        }
        Ok(Some(all))
    }

    /// The file as written alone.
    fn new(file: &PolicyFile, variations: &[Variation], parameters: &[&Parameter], possible: usize) -> Self {
        let settings = parameters.iter().map(|parameter| parameter.written.clone()).collect();
        let swept = variations.iter().zip(parameters).map(|(variation, parameter)| SweptParameter {
            name: variation.name.clone(),
            written: parameter.written.clone(),
            values: variation.values.clone(),
        });
        Self {
            parameters: swept.collect(),
            possible,
            tried: 0,
            plans: vec![file.plan.clone()],
            all: vec![Combination { settings, text: file.text.clone(), plan: 0 }],
        }
    }

    /// The settings of each combination and the hash of its plan.
    pub(super) fn candidates(&self) -> Vec<(Vec<String>, String)> {
        let hash = |plan: usize| self.plans.get(plan).map(|plan| plan.hash.clone()).unwrap_or_default();
        self.all.iter().map(|one| (one.settings.clone(), hash(one.plan))).collect()
    }

    /// The results of all combinations, from those of the plans.
    pub(super) fn of_plans<T: Clone>(&self, results: &[T]) -> Vec<T> {
        self.all.iter().filter_map(|one| results.get(one.plan).cloned()).collect()
    }

    /// The text of the policy file with the values of a combination.
    pub(super) fn text(&self, combination: usize) -> Option<&str> {
        self.all.get(combination).map(|one| one.text.as_str())
    }
}

/// The varied parameters, all different.
fn parameters<'f>(file: &'f PolicyFile, variations: &[Variation]) -> Result<Vec<&'f Parameter>, Failure> {
    let mut parameters: Vec<&Parameter> = Vec::with_capacity(variations.len());
    for variation in variations {
        let parameter = file.parameter(&variation.name)?;
        if parameters.contains(&parameter) {
            let name = &variation.name;
            return Err(Failure::Message(format!(
                "--vary {name}: the parameter is varied twice; list all values in one --vary"
            )));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

/// Whether the policy has no errors with any single value. The errors of the first few values are printed, so that one
/// wrong value is reported once and not for each of its combinations.
fn check_each_value(
    file: &PolicyFile,
    variations: &[Variation],
    parameters: &[&Parameter],
    (project, console): (&Project, &Console),
) -> Result<bool, Failure> {
    let mut wrong = Vec::new();
    for (variation, parameter) in variations.iter().zip(parameters) {
        for value in &variation.values {
            let (compiled, plan) = file.compile(&edited(file, [(*parameter, value.as_str())])?, project)?;
            if plan.is_some() {
                continue;
            }
            if wrong.len() < MAX_PRINTED {
                policy::print_errors(&compiled, console);
            }
            wrong.push(format!("`{}={value}`", variation.name));
        }
    }
    if wrong.is_empty() {
        return Ok(true);
    }
    console.error(&format!("error: {} has errors with {}", file.name, list(&wrong, MAX_PRINTED)));
    Ok(false)
}

/// The text of the file with other values of parameters.
fn edited<'p>(
    file: &PolicyFile,
    values: impl IntoIterator<Item = (&'p Parameter, &'p str)>,
) -> Result<String, Failure> {
    let edits: Vec<_> = values.into_iter().map(|(parameter, value)| parameter.edit(value)).collect();
    let text = lint::apply_edits(&file.text, SourceId(0), &edits);
    text.ok_or_else(|| Failure::Message("internal error: the parameters overlap".to_owned()))
}

fn with_settings(variations: &[Variation], settings: &[&str]) -> String {
    let each = variations.iter().zip(settings).map(|(variation, value)| format!("`{}={value}`", variation.name));
    each.collect::<Vec<_>>().join(", ")
}
