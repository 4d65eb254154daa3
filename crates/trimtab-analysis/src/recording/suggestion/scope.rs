//! Thresholds of their own for some of the calls: those with a window of some size, or those of a model.

use trimtab_base::quantity::grouped;
use trimtab_syntax::syntax::quote;

use super::scale::written;
use crate::recording::observation::Observations;

/// The most sizes of windows with thresholds of their own.
const MAX_SIZES: usize = 3;

/// Some of the calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// The end of the names of its rules.
    pub suffix: String,
    /// Which calls these are, as a sentence.
    about: String,
    /// The condition that holds for them.
    condition: String,
    /// What the recordings hold of them.
    pub observed: Observations,
}

impl Scope {
    /// The clauses of a rule that is for these calls only.
    pub fn clauses(&self, clauses: &str) -> String {
        match clauses.strip_prefix("when ") {
            Some(rest) => format!("when {} and {rest}", self.condition),
            None => format!("when {}\n{clauses}", self.condition),
        }
    }

    /// What was observed of these calls.
    pub fn text(&self, observed: &str) -> String {
        format!("{} {observed}", self.about)
    }
}

/// Windows of similar sizes: the largest of them, and their calls.
type Size = (u64, Observations);

/// The parts of the recordings that may need thresholds of their own. Empty if all calls are alike.
pub fn scopes(observed: &Observations) -> Vec<Scope> {
    let sizes = sizes(observed);
    if sizes.len() > 1 { of_sizes(sizes) } else { of_models(observed) }
}

/// The windows in groups of similar sizes, the smallest first.
fn sizes(observed: &Observations) -> Vec<Size> {
    let mut factor = 2;
    loop {
        let mut sizes: Vec<(u64, Size)> = Vec::new();
        for (window, part) in &observed.by_window {
            match sizes.last_mut() {
                Some((smallest, size)) if *window <= smallest.saturating_mul(factor) => {
                    size.0 = *window;
                    size.1 += part.clone();
                }
                _ => sizes.push((*window, (*window, part.clone()))),
            }
        }
        if sizes.len() <= MAX_SIZES {
            return sizes.into_iter().map(|(_, size)| size).collect();
        }
        factor *= 2;
    }
}

fn of_sizes(sizes: Vec<Size>) -> Vec<Scope> {
    let last = sizes.len() - 1;
    let bounds: Vec<u64> = sizes.iter().map(|(largest, _)| *largest).collect();
    // No rule is for an unknown window.
    let above_bound = |bound: u64| format!("(window ?? 0 tokens) > {} tokens", written(bound));
    let up_to = |bound: u64| format!("(window ?? {} tokens) <= {} tokens", written(bounds[last]), written(bound));
    let scope = |(at, (largest, observed)): (usize, Size)| {
        let above = at.checked_sub(1).map(|before| bounds[before]);
        let (suffix, about, condition) = match above {
            Some(above) if at == last => (
                format!("_above_{}", written(above)),
                format!("For calls with a window of more than {} tokens.", grouped(above.into())),
                above_bound(above),
            ),
            above => {
                let lower = above.map(|above| format!("{} and ", above_bound(above))).unwrap_or_default();
                (
                    format!("_up_to_{}", written(largest)),
                    format!("For calls with a window of up to {} tokens.", grouped(largest.into())),
                    lower + &up_to(largest),
                )
            }
        };
        Scope { suffix, about, condition, observed }
    };
    sizes.into_iter().enumerate().map(scope).collect()
}

/// The model that most tokens were sent to, and all others.
fn of_models(observed: &Observations) -> Vec<Scope> {
    if observed.by_model.len() < 2 {
        return Vec::new();
    }
    let Some((main, first)) = observed.by_model.iter().max_by_key(|(_, part)| part.sent) else { return Vec::new() };
    let mut others = Observations::default();
    for (_, part) in observed.by_model.iter().filter(|(model, _)| *model != main) {
        others += part.clone();
    }
    let words = main.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_");
    let model = quote::quoted(main);
    vec![
        Scope {
            suffix: format!("_for_{name}"),
            about: format!("For calls of {main}."),
            condition: format!("(model ?? \"\") == {model}"),
            observed: first.clone(),
        },
        Scope {
            suffix: "_for_other_models".to_owned(),
            about: format!("For calls of other models than {main}."),
            condition: format!("(model ?? {model}) != {model}"),
            observed: others,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(windows: &[u64]) -> Observations {
        let part = |window: &u64| (*window, Observations { calls: 1, peak: window / 2, ..Observations::default() });
        Observations { by_window: windows.iter().map(part).collect(), ..Observations::default() }
    }

    fn names(observed: &Observations) -> Vec<(String, u64)> {
        scopes(observed).into_iter().map(|scope| (scope.suffix, scope.observed.peak)).collect()
    }

    #[test]
    fn similar_windows_share_a_threshold() {
        assert_eq!(names(&windows(&[128_000, 200_000])), []);
        let two = [("_up_to_32k".to_owned(), 16_000), ("_above_32k".to_owned(), 100_000)];
        assert_eq!(names(&windows(&[32_000, 128_000, 200_000])), two);
        let three = names(&windows(&[8_000, 32_000, 128_000, 200_000, 1_000_000]));
        assert_eq!(
            three.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["_up_to_32k", "_up_to_200k", "_above_200k"]
        );
    }

    #[test]
    fn a_rule_of_a_scope_is_for_its_calls_only() {
        let scopes = scopes(&windows(&[32_000, 200_000, 1_000_000]));
        let clauses: Vec<String> =
            scopes.iter().map(|scope| scope.clauses("when context.ratio >= 45%\ndo mask results")).collect();
        assert_eq!(clauses[0], "when (window ?? 1M tokens) <= 32k tokens and context.ratio >= 45%\ndo mask results");
        let middle =
            "when (window ?? 0 tokens) > 32k tokens and (window ?? 1M tokens) <= 200k tokens\ndo trim arrivals";
        assert_eq!(scopes[1].clauses("do trim arrivals"), middle);
        assert!(clauses[2].starts_with("when (window ?? 0 tokens) > 200k tokens and "));
    }

    #[test]
    fn models_with_equal_windows_are_told_apart_by_name() {
        let part = |sent| Observations { sent, ..Observations::default() };
        let by_model = [("gpt-5".into(), part(10)), ("o3 \"x\"".into(), part(30)), ("gpt-4".into(), part(5))];
        let observed = Observations { by_model: by_model.into(), ..Observations::default() };
        let scopes = scopes(&observed);
        assert_eq!(scopes.iter().map(|scope| scope.observed.sent).collect::<Vec<_>>(), [30, 15]);
        assert_eq!(scopes[0].clauses("do mask results"), "when (model ?? \"\") == \"o3 \\\"x\\\"\"\ndo mask results");
        assert_eq!((scopes[0].suffix.as_str(), scopes[1].suffix.as_str()), ("_for_o3_x", "_for_other_models"));
    }
}
