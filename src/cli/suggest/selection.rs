//! Chooses the variant of each rule and the rules that are worth having together.

use trimtab_analysis::recording::{
    Finding, Observations, Purpose, SUGGESTIONS, SimulatedPolicy, SuggestedRule, Suggestion, scopes,
};
use trimtab_base::quantity::Decimal;
use trimtab_report::report::{SuggestionOutcome, SuggestionResult, plural, total_saving};

use super::replays::Replays;
use crate::cli::console::{Console, Failure};

/// The chosen rules.
pub(super) struct Selection {
    /// Every suggestion that addresses something, in the order of the rules.
    pub(super) results: Vec<SuggestionResult>,
    /// What the policy would have done, or `None` without rules.
    pub(super) simulated: Option<SimulatedPolicy>,
    /// Its text.
    pub(super) policy: Option<String>,
}

impl Selection {
    /// Simulates each variant alone, then adds the rules with the largest savings as long as each saves more than a replay may
    /// err.
    pub(super) fn of(observed: &Observations, replays: &Replays<'_>, console: &Console) -> Result<Self, Failure> {
        let mut results = best_variants(observed, replays, console)?;
        let split = split_up(&mut results, replays, console)?;
        let simulated = add_saving_rules(&mut results, split, replays, console)?;
        for result in results.iter_mut().filter(|result| result.suggestion.purpose == Purpose::Message) {
            let fires = result.alone.rules.iter().any(|rule| rule.fired > 0);
            result.outcome = if fires { SuggestionOutcome::Kept } else { SuggestionOutcome::NeverFires };
        }
        choose_precautions(&mut results, simulated.is_some());
        let simulated = without_silent_rules(&mut results, simulated, replays, console)?;
        let policy = simulated.as_ref().map(|simulated| {
            let comments = [comment(observed, simulated)];
            replays.text(&comments, &kept(&results))
        });
        Ok(Self { results, simulated, policy })
    }
}

/// A rule that may help, and its variants.
struct Candidate {
    suggestion: &'static Suggestion,
    name: String,
    is_part: bool,
    finding: Finding,
}

/// The suggestions that address something, for all calls and for parts of them.
fn candidates(observed: &Observations) -> Vec<Candidate> {
    let mut found = Vec::new();
    for suggestion in SUGGESTIONS.iter().copied() {
        let whole = (suggestion.find)(observed);
        let whole =
            whole.map(|finding| Candidate { suggestion, name: suggestion.rule.to_owned(), is_part: false, finding });
        found.extend(whole);
        let scopes = if suggestion.has_scopes { scopes(observed) } else { Vec::new() };
        found.extend(scopes.iter().filter_map(|scope| {
            let finding = (suggestion.find)(&scope.observed)?;
            let own = |clauses: Vec<String>| clauses.iter().map(|clauses| scope.clauses(clauses)).collect();
            let finding = Finding {
                observed: scope.text(&finding.observed),
                variants: own(finding.variants),
                fallbacks: own(finding.fallbacks),
            };
            Some(Candidate { suggestion, name: format!("{}{}", suggestion.rule, scope.suffix), is_part: true, finding })
        }));
    }
    found
}

/// Each candidate with the variant that saves most.
fn best_variants(
    observed: &Observations,
    replays: &Replays<'_>,
    console: &Console,
) -> Result<Vec<SuggestionResult>, Failure> {
    let found = candidates(observed);
    let texts = found.iter().flat_map(|Candidate { suggestion, name, finding, .. }| {
        let Finding { observed, variants, fallbacks } = finding;
        let rule = move |clauses| SuggestedRule { suggestion, name, observed, clauses };
        variants.iter().chain(fallbacks).map(move |clauses| replays.text(&[], &[rule(clauses)]))
    });
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let mut simulated = replays.simulate(&texts, console)?.into_iter();
    let result = |candidate: Candidate| {
        let Candidate { suggestion, name, is_part, finding } = candidate;
        let mut best = |all: Vec<String>| {
            let alone: Vec<SimulatedPolicy> = simulated.by_ref().take(all.len()).collect();
            // The first of equally good variants.
            let pairs = all.into_iter().zip(alone);
            pairs.reduce(|best, other| if other.1.net_saving() > best.1.net_saving() { other } else { best })
        };
        let (variant, fallback) = (best(finding.variants), best(finding.fallbacks));
        let is_needed = variant.as_ref().is_some_and(|(_, alone)| alone.needed_later() > 0);
        let fallback = fallback.filter(|(_, alone)| is_needed && alone.net_saving() > Decimal::ZERO);
        let (clauses, alone) = fallback.or(variant)?;
        let fires = alone.rules.iter().any(|rule| rule.fired > 0);
        let outcome = if fires { SuggestionOutcome::SavesNothing } else { SuggestionOutcome::NeverFires };
        Some(SuggestionResult { suggestion, rule: name, is_part, observed: finding.observed, clauses, alone, outcome })
    };
    Ok(found.into_iter().filter_map(result).collect())
}

/// Rules that are chosen together, and what they would have done.
struct Group {
    /// Their indices.
    rules: Vec<usize>,
    simulated: SimulatedPolicy,
}

/// Compares each rule for all calls with rules for parts of them. Keeps the parts if together they save more than a replay may
/// err, and returns them as groups; removes them otherwise.
fn split_up(
    results: &mut Vec<SuggestionResult>,
    replays: &Replays<'_>,
    console: &Console,
) -> Result<Vec<Group>, Failure> {
    let mut groups: Vec<Group> = Vec::new();
    for suggestion in SUGGESTIONS.iter().filter(|suggestion| suggestion.has_scopes) {
        let of = |result: &SuggestionResult| result.suggestion.rule == suggestion.rule;
        let saves = |result: &SuggestionResult| result.alone.net_saving() > Decimal::ZERO;
        let all: Vec<usize> = (0..results.len()).filter(|at| of(&results[*at])).collect();
        let rules: Vec<usize> = all.iter().copied().filter(|at| results[*at].is_part && saves(&results[*at])).collect();
        let simulated = match rules.as_slice() {
            [] => None,
            [only] => Some(results[*only].alone.clone()),
            _ => {
                let rules: Vec<SuggestedRule<'_>> = rules.iter().map(|at| rule(&results[*at])).collect();
                replays.simulate(&[replays.text(&[], &rules)], console)?.pop()
            }
        };
        let whole = all.iter().copied().find(|at| !results[*at].is_part);
        let without = whole.map(|at| results[at].alone.net_saving()).unwrap_or_default();
        let error = |with: &SimulatedPolicy| with.error(whole.map(|at| &results[at].alone));
        let better = simulated.filter(|with| with.net_saving() - without.max(Decimal::ZERO) > error(with));
        if let Some(simulated) = better {
            if let Some(whole) = whole {
                results[whole].outcome = SuggestionOutcome::SplitUp { with: simulated.net_saving(), without };
            }
            groups.push(Group { rules, simulated });
        } else {
            // Indices of later groups are those without these results.
            let mut at = 0;
            results.retain(|result| {
                at += 1;
                !(all.contains(&(at - 1)) && result.is_part)
            });
        }
    }
    Ok(groups)
}

/// Keeps the rule that saves most, then each further rule with which the policy saves more than a replay may err.
/// Returns what the kept rules would have done, or `None` without any.
fn add_saving_rules(
    results: &mut [SuggestionResult],
    mut groups: Vec<Group>,
    replays: &Replays<'_>,
    console: &Console,
) -> Result<Option<SimulatedPolicy>, Failure> {
    let is_single = |result: &SuggestionResult| {
        let is_split = matches!(result.outcome, SuggestionOutcome::SplitUp { .. });
        result.suggestion.purpose == Purpose::Saving && !result.is_part && !is_split
    };
    let single = (0..results.len()).filter(|at| is_single(&results[*at]));
    groups.extend(single.map(|at| Group { rules: vec![at], simulated: results[at].alone.clone() }));
    groups.retain(|group| group.simulated.net_saving() > Decimal::ZERO);
    groups.sort_by_key(|group| (std::cmp::Reverse(group.simulated.net_saving()), group.rules.first().copied()));
    let mut best: Option<SimulatedPolicy> = None;
    for Group { rules, simulated } in groups {
        let mut decide = |outcome| rules.iter().for_each(|at| results[*at].outcome = outcome);
        decide(SuggestionOutcome::Kept);
        let with = match &best {
            None => Some(simulated),
            Some(_) => replays.simulate(&[replays.text(&[], &kept(results))], console)?.pop(),
        };
        let net =
            |policy: &Option<SimulatedPolicy>| policy.as_ref().map(SimulatedPolicy::net_saving).unwrap_or_default();
        let gain = net(&with) - net(&best);
        let error = with.as_ref().map(|with| with.error(best.as_ref())).unwrap_or_default();
        let mut decide = |outcome| rules.iter().for_each(|at| results[*at].outcome = outcome);
        if gain > error {
            best = with;
        } else if gain > Decimal::ZERO {
            decide(SuggestionOutcome::WithinError { gain, error });
        } else {
            decide(SuggestionOutcome::AddsNothing { with: net(&with), without: net(&best) });
        }
    }
    Ok(best)
}

/// Keeps precautions that fire if no other rule makes contexts smaller and they cost nothing.
fn choose_precautions(results: &mut Vec<SuggestionResult>, is_saving: bool) {
    results.retain(|result| result.suggestion.purpose != Purpose::Precaution || !is_saving);
    for result in results.iter_mut().filter(|result| result.suggestion.purpose == Purpose::Precaution) {
        if result.outcome != SuggestionOutcome::NeverFires && result.alone.net_saving() >= Decimal::ZERO {
            result.outcome = SuggestionOutcome::Kept;
        }
    }
}

/// Leaves out rules that never fire beside each other. Returns what the others would have done; `None` if there are no others.
/// `simulated` is what the rules that save would have done.
fn without_silent_rules(
    results: &mut [SuggestionResult],
    mut simulated: Option<SimulatedPolicy>,
    replays: &Replays<'_>,
    console: &Console,
) -> Result<Option<SimulatedPolicy>, Failure> {
    loop {
        let rules = kept(results);
        if rules.is_empty() {
            return Ok(None);
        }
        // With messages there are more rules.
        let known = simulated.take().filter(|simulated| simulated.rules.len() == rules.len());
        let current = match known {
            Some(known) => known,
            None => replays.simulate(&[replays.text(&[], &rules)], console)?.pop().unwrap_or_default(),
        };
        let kept = results.iter_mut().filter(|result| result.outcome == SuggestionOutcome::Kept);
        let silent: Vec<_> = kept.zip(&current.rules).filter(|(_, rule)| rule.fired == 0).collect();
        if silent.is_empty() {
            return Ok(Some(current));
        }
        for (result, _) in silent {
            result.outcome = SuggestionOutcome::NeverFiresWithOthers;
        }
    }
}

/// The kept rules.
fn kept(results: &[SuggestionResult]) -> Vec<SuggestedRule<'_>> {
    results.iter().filter(|result| result.outcome == SuggestionOutcome::Kept).map(rule).collect()
}

/// The rule of a suggestion.
fn rule(result: &SuggestionResult) -> SuggestedRule<'_> {
    let SuggestionResult { suggestion, rule, observed, clauses, .. } = result;
    SuggestedRule { suggestion, name: rule, observed, clauses }
}

/// What the policy was made from, and what it saves.
fn comment(observed: &Observations, simulated: &SimulatedPolicy) -> String {
    format!(
        "Suggested by `trimtab suggest` from {} with {}. Simulated on them, the policy {}. The recorded replies do not \
         react to the policy, so this is an estimate.",
        plural(observed.transcripts, "transcript"),
        plural(observed.calls, "model call"),
        total_saving(simulated),
    )
}
