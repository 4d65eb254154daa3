//! The combinations that are tried, and their plans.

use std::collections::HashMap;

use trimtab_analysis::sweep::{Grid, Parameter, Variation};
use trimtab_language::plan::Plan;
use trimtab_report::report::SweptParameter;

use super::{Compile, MAX_NAMED, SweepError, SweptFile};

/// The maximum number of combinations that are tried without a sample.
pub const MAX_COMBINATIONS: usize = 10_000;

/// A sample of all combinations, evenly spread over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The maximum number of combinations.
    pub count: usize,
    /// The seed of the sample.
    pub seed: u64,
}

/// The file as written, then the combinations that are tried.
#[derive(Debug)]
pub struct Combinations {
    /// The varied parameters.
    pub parameters: Vec<SweptParameter>,
    /// The number of combinations of all values.
    pub possible: usize,
    /// The number of those that are tried.
    pub tried: usize,
    /// The different plans. Combinations with the same plan are replayed once.
    pub plans: Vec<Plan>,
    all: Vec<Combination>,
}

#[derive(Debug)]
struct Combination {
    /// The value of each parameter.
    settings: Vec<String>,
    /// The text of the policy file with these values.
    text: String,
    /// The index of its plan.
    plan: usize,
}

impl Combinations {
    /// The combinations of all values, or a sample of them.
    ///
    /// # Errors
    /// A parameter cannot be found, there are too many combinations, or the policy has errors with some of them.
    pub fn of(
        file: &SweptFile,
        variations: &[Variation],
        sample: Option<Sample>,
        compile: &mut Compile<'_>,
    ) -> Result<Self, SweepError> {
        let parameters = parameters(file, variations)?;
        let possible = Grid::new(variations.iter().map(|one| one.values.len()).collect());
        let grid = possible.filter(|grid| sample.is_some() || grid.total() <= MAX_COMBINATIONS);
        let grid = grid.ok_or(SweepError::TooManyCombinations)?;
        let mut all = Self::new(file, variations, &parameters, grid.total());
        check_each_value(file, variations, &parameters, compile)?;
        let positions: Vec<_> =
            sample.map_or_else(|| grid.all().collect(), |sample| grid.sample(sample.count, sample.seed));
        all.tried = positions.len();
        let mut known: HashMap<String, usize> = HashMap::from([(file.plan.hash.clone(), 0)]);
        for positions in positions {
            let settings = variations.iter().zip(positions);
            let settings: Vec<&str> = settings.filter_map(|(one, at)| one.values.get(at).map(String::as_str)).collect();
            let text = file.edited(parameters.iter().copied().zip(settings.iter().copied()))?;
            let plan = file.plan_of(&text, compile)?.map_err(|compiled| {
                let each = variations.iter().zip(&settings).map(|(variation, value)| setting(variation, value));
                SweepError::Invalid { file: file.name.clone(), values: each.collect(), compiled: vec![compiled] }
            })?;
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
        Ok(all)
    }

    /// The file as written alone.
    fn new(file: &SweptFile, variations: &[Variation], parameters: &[&Parameter], possible: usize) -> Self {
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
    pub fn candidates(&self) -> Vec<(Vec<String>, String)> {
        let hash = |plan: usize| self.plans.get(plan).map(|plan| plan.hash.clone()).unwrap_or_default();
        self.all.iter().map(|one| (one.settings.clone(), hash(one.plan))).collect()
    }

    /// The results of all combinations, from those of the plans.
    pub fn of_plans<T: Clone>(&self, results: &[T]) -> Vec<T> {
        self.all.iter().filter_map(|one| results.get(one.plan).cloned()).collect()
    }

    /// The text of the policy file with the values of a combination.
    pub fn text(&self, combination: usize) -> Option<&str> {
        self.all.get(combination).map(|one| one.text.as_str())
    }
}

/// The varied parameters, all different.
fn parameters<'p>(file: &'p SweptFile, variations: &[Variation]) -> Result<Vec<&'p Parameter>, SweepError> {
    let mut parameters: Vec<&Parameter> = Vec::with_capacity(variations.len());
    for variation in variations {
        let parameter = file.parameter(&variation.name)?;
        if parameters.contains(&parameter) {
            let reason = "the constant is varied twice; list all values in one place".to_owned();
            return Err(SweepError::Parameter { name: variation.name.clone(), reason });
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

/// Tries each value alone, so that a wrong one is reported once and not for each of its combinations.
fn check_each_value(
    file: &SweptFile,
    variations: &[Variation],
    parameters: &[&Parameter],
    compile: &mut Compile<'_>,
) -> Result<(), SweepError> {
    let (mut values, mut wrong) = (Vec::new(), Vec::new());
    for (variation, parameter) in variations.iter().zip(parameters) {
        for value in &variation.values {
            let text = file.edited([(*parameter, value.as_str())])?;
            if let Err(compiled) = file.plan_of(&text, compile)? {
                values.push(setting(variation, value));
                if wrong.len() < MAX_NAMED {
                    wrong.push(compiled);
                }
            }
        }
    }
    if values.is_empty() {
        return Ok(());
    }
    Err(SweepError::Invalid { file: file.name.clone(), values, compiled: wrong })
}

fn setting(variation: &Variation, value: &str) -> String {
    format!("`{}={value}`", variation.name)
}
