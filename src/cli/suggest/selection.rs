//! Chooses the variant of each rule and the rules that are worth having together.

use trimtab_analysis::recording::{
    Finding, Observations, Purpose, SUGGESTIONS, SimulatedPolicy, SuggestedRule, Suggestion,
};
use trimtab_base::quantity::Decimal;
use trimtab_report::report::{SuggestionOutcome, SuggestionResult, plural, total_saving};

use super::replays::Replays;
use crate::cli::console::{Console, Failure};

/// The chosen rules.
pub(super) struct Selection {
    /// Every suggestion that addresses something, in the order of the rules.
    pub(super) results: Vec<SuggestionResult>,
    /// What the policy would have done; none without rules.
    pub(super) simulated: Option<SimulatedPolicy>,
    /// Its text.
    pub(super) policy: Option<String>,
}

impl Selection {
    /// Simulates each variant alone, then adds the rules with the largest savings as long as each saves more than a replay may
    /// err.
    pub(super) fn of(observed: &Observations, replays: &Replays<'_>, console: &Console) -> Result<Self, Failure> {
        let mut results = best_variants(observed, replays, console)?;
        let simulated = add_saving_rules(&mut results, replays, console)?;
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

/// Each suggestion that addresses something, with the variant that saves most.
fn best_variants(
    observed: &Observations,
    replays: &Replays<'_>,
    console: &Console,
) -> Result<Vec<SuggestionResult>, Failure> {
    let found = SUGGESTIONS.iter().filter_map(|one| (one.find)(observed).map(|finding| (*one, finding)));
    let found: Vec<(&'static Suggestion, Finding)> = found.collect();
    let texts = found.iter().flat_map(|(suggestion, finding)| {
        let Finding { observed, variants } = finding;
        variants.iter().map(|clauses| replays.text(&[], &[SuggestedRule { suggestion, observed, clauses }]))
    });
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let mut simulated = replays.simulate(&texts, console)?.into_iter();
    let best = |(suggestion, finding): (&'static Suggestion, Finding)| {
        let alone = simulated.by_ref().take(finding.variants.len());
        let all = finding.variants.into_iter().zip(alone);
        // The first of equally good variants.
        let best = all.reduce(|best, other| if other.1.net_saving() > best.1.net_saving() { other } else { best });
        best.map(|(clauses, alone)| {
            let fires = alone.rules.iter().any(|rule| rule.fired > 0);
            let outcome = if fires { SuggestionOutcome::SavesNothing } else { SuggestionOutcome::NeverFires };
            SuggestionResult { suggestion, observed: finding.observed, clauses, alone, outcome }
        })
    };
    Ok(found.into_iter().filter_map(best).collect())
}

/// Keeps the rule that saves most, then each further rule with which the policy saves more than a replay may err. Returns what
/// the kept rules would have done; none without any.
fn add_saving_rules(
    results: &mut [SuggestionResult],
    replays: &Replays<'_>,
    console: &Console,
) -> Result<Option<SimulatedPolicy>, Failure> {
    let saves = |result: &SuggestionResult| {
        result.suggestion.purpose == Purpose::Saving && result.alone.net_saving() > Decimal::ZERO
    };
    let mut order: Vec<usize> = (0..results.len()).filter(|at| saves(&results[*at])).collect();
    order.sort_by_key(|at| std::cmp::Reverse(results[*at].alone.net_saving()));
    let mut best: Option<SimulatedPolicy> = None;
    for at in order {
        results[at].outcome = SuggestionOutcome::Kept;
        let with = match &best {
            None => Some(results[at].alone.clone()),
            Some(_) => replays.simulate(&[replays.text(&[], &kept(results))], console)?.pop(),
        };
        let net =
            |policy: &Option<SimulatedPolicy>| policy.as_ref().map(SimulatedPolicy::net_saving).unwrap_or_default();
        let gain = net(&with) - net(&best);
        let error = with.as_ref().map(|with| with.error(best.as_ref())).unwrap_or_default();
        if gain > error {
            best = with;
        } else if gain > Decimal::ZERO {
            results[at].outcome = SuggestionOutcome::WithinError { gain, error };
        } else {
            results[at].outcome = SuggestionOutcome::AddsNothing { with: net(&with), without: net(&best) };
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
    let kept = results.iter().filter(|result| result.outcome == SuggestionOutcome::Kept);
    let rules = kept.map(|result| {
        let SuggestionResult { suggestion, observed, clauses, .. } = result;
        SuggestedRule { suggestion, observed, clauses }
    });
    rules.collect()
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
