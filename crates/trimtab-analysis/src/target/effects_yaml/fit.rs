//! Finds the kind of effect and the parameters that stand for a rule.

use serde_json::Value as Json;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::{self, SourceUnit};
use trimtab_language::plan::{self, Difference, Plan};
use trimtab_syntax::syntax;
use trimtab_syntax::syntax::yaml::{KINDS, Kind, Measure, Param};

/// The kind of effect that is most like a rule.
pub(super) struct Fit {
    pub(super) kind: &'static Kind,
    /// The value of each parameter as it is written.
    pub(super) values: Values,
    /// How the rule differs from the effect.
    pub(super) differences: Vec<Difference>,
}

type Values = Vec<(&'static str, String)>;

/// A kind of effect, and where its parameters are in its rule.
struct Probe {
    kind: &'static Kind,
    values: Values,
    /// For each parameter a JSON pointer to a place that has its value.
    places: Vec<Option<String>>,
}

/// All kinds of effects.
pub(super) struct Fitter(Vec<Probe>);

impl Default for Fitter {
    fn default() -> Self {
        // A rule of a kind with two rules has no meaning without the other.
        Self(KINDS.iter().filter(|kind| kind.is_one_rule()).filter_map(Probe::new).collect())
    }
}

impl Fitter {
    /// The kind with the fewest differences from a rule.
    pub(super) fn nearest(&self, rule: &Json) -> Option<Fit> {
        let fits = self.0.iter().filter_map(|probe| probe.fit(rule));
        fits.min_by_key(|fit| (fit.has_other_effect(), fit.parts().len(), fit.differences.len()))
    }
}

impl Fit {
    /// Whether its effect is another one.
    fn has_other_effect(&self) -> bool {
        self.differences.iter().any(|one| one.path == "do[0].effect")
    }

    /// The clauses and labels in which the rule differs from it.
    pub(super) fn parts(&self) -> Vec<String> {
        let mut parts: Vec<String> = self.differences.iter().map(|one| part(&one.path)).collect();
        parts.dedup();
        parts
    }
}

/// The clause or label at a path of the JSON form of a rule.
fn part(path: &str) -> String {
    let word = |text: &str| text.split(['.', '[']).next().unwrap_or_default().to_owned();
    if let Some((_, label)) = path.split_once(".labels.") {
        return format!("`{}` of `do`", word(label));
    }
    match word(path).as_str() {
        "condition" => "`when`".to_owned(),
        "guards" => "its guards".to_owned(),
        "phase" => "`on`".to_owned(),
        "retries" => "`on_failure`".to_owned(),
        clause => format!("`{clause}`"),
    }
}

impl Probe {
    /// Finds the parameters by changing each of them.
    fn new(kind: &'static Kind) -> Option<Self> {
        let values: Values = kind.params.iter().map(|param| (param.name, probed(param, 31))).collect();
        let base = rule(kind, &values)?;
        let place = |at: usize| {
            let mut changed = values.clone();
            changed[at].1 = probed(&kind.params[at], 47);
            let place = first_difference(&base, &rule(kind, &changed)?, "")?;
            // The values of a list differ in their first element.
            let is_list = matches!(kind.params[at].measure, Measure::Names);
            Some(if is_list { place.trim_end_matches("/0").to_owned() } else { place })
        };
        let places = (0..values.len()).map(place).collect();
        Some(Self { kind, values, places })
    }

    /// The effect with the parameters that a rule has in their places.
    fn fit(&self, wanted: &Json) -> Option<Fit> {
        let mut values = self.values.clone();
        for ((_, value), place) in values.iter_mut().zip(&self.places) {
            let found = place.as_ref().and_then(|place| written(wanted.pointer(place)?));
            *value = found.unwrap_or_else(|| value.clone());
        }
        let with = |values: Values| Some((rule(self.kind, &values)?, values));
        // Some numbers are not allowed as parameters.
        let (rule, values) = with(values).or_else(|| with(self.values.clone()))?;
        Some(Fit { kind: self.kind, values, differences: plan::differences(&rule, wanted) })
    }
}

/// A value of a parameter.
fn probed(param: &Param, number: u32) -> String {
    match param.measure {
        Measure::Whole(_) | Measure::Tokens => number.to_string(),
        Measure::Names => format!("[t{number}]"),
        Measure::Duration => format!("{number}s"),
        Measure::Share(_) | Measure::OptionalWindowShare(_) | Measure::OtherShare(_) | Measure::BudgetShare(_) => {
            format!("0.{number}")
        }
    }
}

/// A number or a list in a plan as it is written in YAML.
fn written(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => Decimal::from_str_exact(text).ok().map(|number| number.normalize().to_string()),
        Json::Number(number) => Some(number.to_string()),
        Json::Array(_) => Some(json.to_string()),
        _ => None,
    }
}

/// The pointer to the first place at which two values differ.
fn first_difference(a: &Json, b: &Json, at: &str) -> Option<String> {
    match (a, b) {
        (Json::Object(old), Json::Object(new)) => old.iter().find_map(|(key, value)| {
            let key_at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            first_difference(value, new.get(key)?, &key_at)
        }),
        (Json::Array(old), Json::Array(new)) => {
            let pairs = old.iter().zip(new).enumerate();
            pairs.into_iter().find_map(|(index, (a, b))| first_difference(a, b, &format!("{at}/{index}")))
        }
        _ => (a != b).then(|| at.to_owned()),
    }
}

/// The rule of an effect, without its name.
fn rule(kind: &Kind, values: &Values) -> Option<Json> {
    let params: String = values.iter().map(|(name, value)| format!("{name}: {value}, ")).collect();
    let plan = read(&format!("effects: [{{kind: {}, params: {{{params}}}}}]", kind.name))?;
    plan.rules.first().map(super::meaning)
}

/// The plan of the only policy of a YAML text without errors.
pub(super) fn read(text: &str) -> Option<Plan> {
    let (file, findings) = syntax::parse(&Source::new(SourceId::default(), "effects.yaml", text));
    if !findings.is_empty() {
        return None;
    }
    let (checked, _) = check::check_all(&[SourceUnit { file: &file, uses: &[] }]);
    plan::lower(&checked?, None).ok()
}
